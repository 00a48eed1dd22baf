//! OAuth in both directions from outside: the gateway signs in at servers, and callers come to it with access
//! tokens. An identity provider of the test kit agrees to everything, and has a protected server beside it
//! that reports the owner of the token.

mod desk;
mod hub;
mod on_its_own;
mod principals;
mod reach;
mod resource_server;
mod secrecy;
mod signing_in;
mod written_down;
