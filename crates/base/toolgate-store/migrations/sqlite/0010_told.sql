-- What ended for the very same call: its caller is told once.
CREATE INDEX approvals_by_binding ON approvals (tenant, binding, id);
