//! The sound of a file as blocks of 16,000 samples a second, one channel. Only a block at a time is in memory.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use symphonia::core::codecs::audio::{AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, TrackType};
use symphonia::core::io::{MediaSource, MediaSourceStream};
use symphonia::core::meta::MetadataOptions;

use crate::error::SpeechError;
use crate::resample::Resampler;

/// Samples a second of everything that comes out.
pub const SAMPLE_RATE: u32 = 16_000;
/// Sound with a higher or lower rate is a lie.
const RATES: std::ops::RangeInclusive<u32> = 4_000..=400_000;
/// Damaged packets in a row after which a file is given up.
const DAMAGED_MAX: usize = 500;
/// Bytes of a block from ffmpeg.
const BLOCK_BYTES: usize = 32 << 10;
/// The end of what ffmpeg says that is passed on.
const WORDS_BYTES: u64 = 4 << 10;

/// A file in memory or on the disk.
pub enum AudioInput {
    Bytes(Vec<u8>),
    File(PathBuf),
}

/// The sound of a file.
pub struct AudioReader {
    way: ReaderWay,
    /// Of the whole sound, where the file says it.
    pub duration_s: Option<f64>,
    /// The program that decodes: `symphonia` or `ffmpeg`.
    pub decoder: &'static str,
}

enum ReaderWay {
    Decoded(Box<DecodedTrack>),
    Piped(PipedSound),
}

struct DecodedTrack {
    format: Box<dyn FormatReader>,
    decoder: Box<dyn AudioDecoder>,
    track: u32,
    resampler: Option<(u32, Resampler)>,
    samples: Vec<f32>,
    damaged: usize,
    is_over: bool,
}

struct PipedSound {
    child: Child,
    output: ChildStdout,
}

impl AudioReader {
    /// Opens the first audio track. What is not known here is given to `ffmpeg`, if that is a program and the input a file.
    pub fn open(input: AudioInput, ffmpeg: Option<&Path>) -> Result<Self, SpeechError> {
        let (source, path): (Box<dyn MediaSource>, Option<PathBuf>) = match input {
            AudioInput::Bytes(bytes) => (Box::new(Cursor::new(bytes)), None),
            AudioInput::File(path) => {
                let file =
                    File::open(&path).map_err(|error| SpeechError::UnknownFormat(error.to_string()))?;
                (Box::new(file), Some(path))
            }
        };
        match (decoded(source), path, ffmpeg) {
            (Err(SpeechError::UnknownFormat(_) | SpeechError::UnknownCodec(_)), Some(path), Some(ffmpeg)) => {
                piped(&path, ffmpeg)
            }
            (opened, ..) => opened,
        }
    }

    /// The next samples; `None` at the end.
    pub fn next_block(&mut self) -> Result<Option<Vec<f32>>, SpeechError> {
        match &mut self.way {
            ReaderWay::Decoded(track) => track.next_block(),
            ReaderWay::Piped(sound) => sound.next_block(),
        }
    }
}

fn decoded(source: Box<dyn MediaSource>) -> Result<AudioReader, SpeechError> {
    let stream = MediaSourceStream::new(source, Default::default());
    let format = symphonia::default::get_probe().probe(
        &Hint::new(),
        stream,
        FormatOptions::default(),
        MetadataOptions::default(),
    );
    let format = format.map_err(|error| SpeechError::UnknownFormat(error.to_string()))?;
    let track = format.default_track(TrackType::Audio).ok_or(SpeechError::NoAudio)?;
    let id = track.id;
    let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
    let parameters = parameters.ok_or_else(|| SpeechError::UnknownCodec("of an unknown kind".into()))?;
    let length = track.num_frames.zip(parameters.sample_rate);
    let duration_s = length.map(|(frames, rate)| frames as f64 / f64::from(rate.max(1)));
    let decoder =
        symphonia::default::get_codecs().make_audio_decoder(parameters, &AudioDecoderOptions::default());
    let decoder = decoder.map_err(|_| SpeechError::UnknownCodec(parameters.codec.to_string()))?;
    let track = DecodedTrack {
        format,
        decoder,
        track: id,
        resampler: None,
        samples: Vec::new(),
        damaged: 0,
        is_over: false,
    };
    Ok(AudioReader { way: ReaderWay::Decoded(Box::new(track)), duration_s, decoder: "symphonia" })
}

impl DecodedTrack {
    fn next_block(&mut self) -> Result<Option<Vec<f32>>, SpeechError> {
        while !self.is_over {
            let packet = match self.format.next_packet() {
                Ok(Some(packet)) => packet,
                // A file that is cut off ends there.
                Ok(None) | Err(Error::IoError(_)) => {
                    self.is_over = true;
                    let rest = self.resampler.as_mut().map(|(_, resampler)| resampler.finish());
                    return Ok(rest.filter(|rest| !rest.is_empty()));
                }
                Err(error) => {
                    self.count(&error)?;
                    continue;
                }
            };
            if packet.track_id != self.track {
                continue;
            }
            match self.decoder.decode(&packet) {
                Ok(buffer) => {
                    let (rate, channels) = (buffer.spec().rate(), buffer.num_planes());
                    self.samples.resize(buffer.samples_interleaved(), 0.0);
                    buffer.copy_to_slice_interleaved(&mut self.samples);
                    self.damaged = 0;
                    if let Some(block) = self.mixed(rate, channels)? {
                        return Ok(Some(block));
                    }
                }
                Err(error) => self.count(&error)?,
            }
        }
        Ok(None)
    }

    /// One channel at the wanted rate.
    fn mixed(&mut self, rate: u32, channels: usize) -> Result<Option<Vec<f32>>, SpeechError> {
        if channels == 0 || self.samples.is_empty() {
            return Ok(None);
        }
        if !RATES.contains(&rate) {
            return Err(SpeechError::Damaged(format!("{rate} samples a second")));
        }
        let mono: Vec<f32> = self
            .samples
            .chunks_exact(channels)
            .map(|frame| frame.iter().sum::<f32>() / channels as f32)
            .collect();
        let mono: Vec<f32> = mono
            .into_iter()
            .map(|sample| if sample.is_finite() { sample.clamp(-1.0, 1.0) } else { 0.0 })
            .collect();
        if self.resampler.as_ref().is_none_or(|(from, _)| *from != rate) {
            self.resampler = Some((rate, Resampler::new(rate, SAMPLE_RATE)));
        }
        let block = self.resampler.as_mut().map(|(_, resampler)| resampler.push(&mono)).unwrap_or_default();
        Ok(Some(block).filter(|block| !block.is_empty()))
    }

    fn count(&mut self, error: &Error) -> Result<(), SpeechError> {
        self.damaged += 1;
        match self.damaged > DAMAGED_MAX || matches!(error, Error::ResetRequired | Error::Unsupported(_)) {
            true => Err(SpeechError::Damaged(error.to_string())),
            false => Ok(()),
        }
    }
}

fn piped(path: &Path, ffmpeg: &Path) -> Result<AudioReader, SpeechError> {
    let mut command = Command::new(ffmpeg);
    // Lists and streams that name other files or addresses are not followed.
    command.args(["-nostdin", "-v", "error", "-protocol_whitelist", "file,pipe", "-i"]).arg(path);
    command.args(["-map", "0:a:0", "-ac", "1", "-ar", "16000", "-f", "s16le", "pipe:1"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| SpeechError::Ffmpeg(error.to_string()))?;
    let output = child.stdout.take().ok_or_else(|| SpeechError::Ffmpeg("it has no output".into()))?;
    Ok(AudioReader {
        way: ReaderWay::Piped(PipedSound { child, output }),
        duration_s: None,
        decoder: "ffmpeg",
    })
}

impl PipedSound {
    fn next_block(&mut self) -> Result<Option<Vec<f32>>, SpeechError> {
        let mut bytes = Vec::new();
        let read = self.output.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut bytes);
        read.map_err(|error| SpeechError::Ffmpeg(error.to_string()))?;
        if bytes.is_empty() {
            return self.ended().map(|()| None);
        }
        let samples =
            bytes.chunks_exact(2).map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32_768.0);
        Ok(Some(samples.collect()))
    }

    fn ended(&mut self) -> Result<(), SpeechError> {
        let mut words = String::new();
        if let Some(errors) = self.child.stderr.take() {
            errors
                .take(WORDS_BYTES)
                .read_to_string(&mut words)
                .map_err(|error| SpeechError::Ffmpeg(error.to_string()))?;
        }
        let status = self.child.wait().map_err(|error| SpeechError::Ffmpeg(error.to_string()))?;
        match status.success() {
            true => Ok(()),
            false if words.contains("matches no streams") => Err(SpeechError::NoAudio),
            false => {
                Err(SpeechError::Ffmpeg(words.lines().next_back().unwrap_or("it did not say why").to_owned()))
            }
        }
    }
}

impl Drop for PipedSound {
    fn drop(&mut self) {
        // It may have ended long ago.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A WAV file with two channels.
    fn wav(rate: u32, seconds: u32) -> Vec<u8> {
        let frames = rate * seconds;
        let data: Vec<u8> = (0..frames)
            .flat_map(|at| {
                let sample = ((f64::from(at) * 440.0 / f64::from(rate) * std::f64::consts::TAU).sin()
                    * 12_000.0) as i16;
                [sample.to_le_bytes(), sample.to_le_bytes()].concat()
            })
            .collect();
        let mut file = b"RIFF".to_vec();
        file.extend((36 + data.len() as u32).to_le_bytes());
        file.extend(b"WAVEfmt ");
        file.extend(16u32.to_le_bytes());
        file.extend([1, 0, 2, 0]);
        file.extend(rate.to_le_bytes());
        file.extend((rate * 4).to_le_bytes());
        file.extend([4, 0, 16, 0]);
        file.extend(b"data");
        file.extend((data.len() as u32).to_le_bytes());
        file.extend(data);
        file
    }

    fn samples(bytes: Vec<u8>) -> Result<usize, SpeechError> {
        let mut reader = AudioReader::open(AudioInput::Bytes(bytes), None)?;
        let mut count = 0;
        while let Some(block) = reader.next_block()? {
            count += block.len();
        }
        Ok(count)
    }

    #[test]
    fn sound_of_any_rate_comes_out_at_the_same() {
        for rate in [16_000, 44_100, 48_000] {
            assert!(samples(wav(rate, 2)).unwrap().abs_diff(32_000) < 50, "{rate}");
        }
    }

    #[test]
    fn damaged_and_foreign_files_are_errors_or_short() {
        assert!(matches!(samples(Vec::new()), Err(SpeechError::UnknownFormat(_))));
        assert!(samples(b"no sound at all, only words".repeat(100)).is_err());
        let whole = wav(16_000, 1);
        assert!(samples(whole[..whole.len() / 2].to_vec()).unwrap() < 9_000);
    }

    fn ebml(id: &[u8], content: &[u8]) -> Vec<u8> {
        [id, &(content.len() as u64 | 1 << 56).to_be_bytes(), content].concat()
    }

    /// A Matroska file with one track of this kind and codec.
    fn mkv(kind: u8, codec: &str) -> Vec<u8> {
        let head = ebml(&[0x1a, 0x45, 0xdf, 0xa3], &ebml(&[0x42, 0x82], b"matroska"));
        let sound = [ebml(&[0xb5], &48_000f32.to_be_bytes()), ebml(&[0x9f], &[2])].concat();
        let entry = [
            ebml(&[0xd7], &[1]),
            ebml(&[0x73, 0xc5], &[1]),
            ebml(&[0x83], &[kind]),
            ebml(&[0x86], codec.as_bytes()),
            if kind == AUDIO { ebml(&[0xe1], &sound) } else { Vec::new() },
        ]
        .concat();
        let scale = ebml(&[0x2a, 0xd7, 0xb1], &1_000_000u32.to_be_bytes());
        let programs = [ebml(&[0x4d, 0x80], b"test"), ebml(&[0x57, 0x41], b"test")].concat();
        let info = ebml(&[0x15, 0x49, 0xa9, 0x66], &[scale, programs].concat());
        let tracks = ebml(&[0x16, 0x54, 0xae, 0x6b], &ebml(&[0xae], &entry));
        let block = ebml(&[0xa3], &[0x81, 0, 0, 0x80, 0xfc]);
        let cluster = ebml(&[0x1f, 0x43, 0xb6, 0x75], &[ebml(&[0xe7], &[0]), block].concat());
        [head, ebml(&[0x18, 0x53, 0x80, 0x67], &[info, tracks, cluster].concat())].concat()
    }

    const AUDIO: u8 = 2;
    const SUBTITLE: u8 = 0x11;

    /// A program in place of ffmpeg: it writes down how it was called, says something, and ends with a status.
    fn stand_in(folder: &Path, script: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join("ffmpeg");
        std::fs::write(
            &path,
            format!("#!/bin/sh\nPATH=/usr/bin:/bin\necho \"$@\" > \"$0.called\"\n{script}\n"),
        )
        .unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn open_with(folder: &Path, bytes: &[u8], ffmpeg: Option<&Path>) -> Result<AudioReader, SpeechError> {
        let file = folder.join("input");
        std::fs::write(&file, bytes).unwrap();
        AudioReader::open(AudioInput::File(file), ffmpeg)
    }

    #[test]
    fn sound_that_is_not_decoded_here_goes_through_ffmpeg() {
        let folder = tempfile::tempdir().unwrap();
        // Two seconds of it.
        let ffmpeg = stand_in(folder.path(), "head -c 64000 /dev/zero");
        for codec in ["A_OPUS", "A_AC3"] {
            let video = mkv(AUDIO, codec);
            let refused = open_with(folder.path(), &video, None).err();
            assert!(
                matches!(refused, Some(SpeechError::UnknownCodec(_) | SpeechError::UnknownFormat(_))),
                "{codec}: {refused:?}"
            );
            let mut reader = open_with(folder.path(), &video, Some(&ffmpeg)).unwrap();
            assert_eq!((reader.decoder, reader.duration_s), ("ffmpeg", None));
            let mut count = 0;
            while let Some(block) = reader.next_block().unwrap() {
                count += block.len();
            }
            assert_eq!(count, 32_000, "{codec}");
            let called = std::fs::read_to_string(folder.path().join("ffmpeg.called")).unwrap();
            assert!(called.contains("-protocol_whitelist file,pipe -i"), "lists lead nowhere: {called}");
        }
    }

    #[test]
    fn what_ffmpeg_says_is_passed_on() {
        let folder = tempfile::tempdir().unwrap();
        let failure = |script: &str| {
            let ffmpeg = stand_in(folder.path(), script);
            let mut reader = open_with(folder.path(), &mkv(AUDIO, "A_AC3"), Some(&ffmpeg)).unwrap();
            reader.next_block().unwrap_err()
        };
        let broken = failure("echo one >&2; echo 'frame is broken' >&2; exit 1");
        assert!(matches!(&broken, SpeechError::Ffmpeg(why) if why == "frame is broken"), "{broken:?}");
        let silent = failure("echo 'Stream map matches no streams.' >&2; exit 1");
        assert!(matches!(silent, SpeechError::NoAudio), "{silent:?}");
    }

    #[test]
    fn a_video_without_sound_says_so() {
        let opened = AudioReader::open(AudioInput::Bytes(mkv(SUBTITLE, "S_TEXT/UTF8")), None);
        let told = opened.err();
        assert!(matches!(told, Some(SpeechError::NoAudio)), "{told:?}");
    }
}
