//! Where a link leads: `templcrawl/page/addresses.py` (`link_resolver`), as far as addresses are plain.
//!
//! What is not plain is asked of Python, which follows the rules of `urljoin` and `safe_url_string`.

use crate::sections::Sections;

/// What relative links start from, worked out by Python.
pub struct Base {
    has_scheme: bool,
    /// Links that are relative to its directory lead nowhere.
    is_long: bool,
    origin: Vec<u8>,
    directory: Vec<u8>,
    /// The base without its query.
    path: Vec<u8>,
}

/// Where a link leads.
pub enum Target {
    Nowhere,
    Url(Vec<u8>),
    /// What Python is to resolve: the decoded `href`.
    Ask(Vec<u8>),
}

impl Base {
    pub fn read(bytes: &[u8]) -> Option<Base> {
        let mut s = Sections(bytes);
        let [has_scheme, is_long] = s.numbers()?[..].try_into().ok()?;
        let [origin, directory, path] = s.texts()?.try_into().ok()?;
        Some(Base { has_scheme: has_scheme != 0, is_long: is_long != 0, origin, directory, path })
    }

    /// Where a decoded `href` leads.
    pub fn resolve(&self, written: &[u8], followed: &[Vec<u8>]) -> Target {
        let href = trim(written.split(|byte| *byte == b'#').next().unwrap_or(b""));
        let Some(first) = href.first() else {
            return Target::Nowhere;
        };
        let scheme = scheme(href);
        if self.is_long && *first != b'/' && scheme.is_none() {
            return Target::Nowhere;
        }
        if self.has_scheme && is_plain_path(href) {
            let start = if *first == b'/' { &self.origin } else { &self.directory };
            return Target::Url([start, href].concat());
        }
        if is_plain_url(href) {
            return Target::Url(href.to_vec());
        }
        if scheme.is_some_and(|scheme| !followed.iter().any(|known| known.eq_ignore_ascii_case(scheme))) {
            return Target::Nowhere;
        }
        let url = match *first {
            b'?' => [&self.path, href].concat(),
            b'/' => self.beside(href),
            _ => self.upwards(href),
        };
        if self.has_scheme && is_plain_url(&url) && (*first != b'?' || is_plain_query(&href[1..])) {
            return Target::Url(url);
        }
        Target::Ask(written.to_vec())
    }

    /// What a link that begins with `//` leads to, nothing for any other.
    fn beside(&self, href: &[u8]) -> Vec<u8> {
        let scheme = self.origin.split(|byte| *byte == b'/').next().unwrap_or(b"");
        if href.starts_with(b"//") {
            [scheme, href].concat()
        } else {
            Vec::new()
        }
    }

    /// What a link that begins with `./` or `../`, or is one of them, leads to, nothing for any other.
    fn upwards(&self, href: &[u8]) -> Vec<u8> {
        let mut rest = href;
        let Some(path) = self.directory.strip_prefix(&self.origin[..]) else {
            return Vec::new();
        };
        if path.windows(2).any(|pair| pair == b"//") || path.contains(&b'?') {
            return Vec::new();
        }
        let mut directory = path;
        loop {
            if let Some(tail) = after(rest, b"../") {
                let above =
                    directory[..directory.len().saturating_sub(1)].iter().rposition(|byte| *byte == b'/');
                directory = &directory[..above.map_or(directory.len().min(1), |at| at + 1)];
                rest = tail;
            } else if let Some(tail) = after(rest, b"./") {
                rest = tail;
            } else {
                break;
            }
        }
        // behind such a beginning, a colon of the first segment ends no scheme
        let is_relative = rest.is_empty() || (rest[0] != b'/' && is_plain_path(&[b"/", rest].concat()));
        if rest.len() == href.len() || !is_relative {
            return Vec::new();
        }
        [&self.origin, directory, rest].concat()
    }
}

/// What stands behind a step of a path; a path may end without its slash.
fn after<'a>(path: &'a [u8], step: &[u8]) -> Option<&'a [u8]> {
    if *path == step[..step.len() - 1] {
        Some(b"")
    } else {
        path.strip_prefix(step)
    }
}

fn trim(mut href: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(*byte, b' ' | b'\t' | b'\n' | 0x0C | b'\r');
    while let Some((_, rest)) = href.split_first().filter(|(first, _)| is_space(first)) {
        href = rest;
    }
    while let Some((_, rest)) = href.split_last().filter(|(last, _)| is_space(last)) {
        href = rest;
    }
    href
}

fn scheme(href: &[u8]) -> Option<&[u8]> {
    let stop = href.iter().position(|byte| *byte == b':')?;
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(*byte, b'+' | b'.' | b'-');
    (href[0].is_ascii_alphabetic() && href[..stop].iter().all(is_scheme)).then_some(&href[..stop])
}

/// Byte -> whether it may begin a segment of a plain path.
const IS_FIRST: [bool; 256] = bytes_of(b"-_~@!$&()*+,=%");
/// Byte -> whether it may stand in one.
const IS_ANY: [bool; 256] = bytes_of(b"-_~@!$&()*+,=%.:");

/// Byte -> whether it is a letter, a digit, or one of some signs.
const fn bytes_of(signs: &[u8]) -> [bool; 256] {
    let mut bytes = [false; 256];
    let mut byte = 0;
    while byte < bytes.len() {
        bytes[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut sign = 0;
    while sign < signs.len() {
        bytes[signs[sign] as usize] = true;
        sign += 1;
    }
    bytes
}

fn is_first(byte: u8) -> bool {
    IS_FIRST[byte as usize]
}

fn is_any(byte: &u8) -> bool {
    IS_ANY[*byte as usize]
}

fn is_plain_query(query: &[u8]) -> bool {
    !query.is_empty() && query.iter().all(|byte| is_any(byte) || b"/?;".contains(byte))
}

/// The path of an address, if its query, where it has one, is plain.
fn with_plain_query(address: &[u8]) -> Option<&[u8]> {
    match address.iter().position(|byte| *byte == b'?') {
        Some(at) => is_plain_query(&address[at + 1..]).then_some(&address[..at]),
        None => Some(address),
    }
}

fn is_plain_path(href: &[u8]) -> bool {
    let Some(path) = with_plain_query(href) else {
        return false;
    };
    if path == b"/" {
        return true;
    }
    let path = path.strip_suffix(b"/").unwrap_or(path);
    let mut segments = path.split(|byte| *byte == b'/');
    let first = segments.next().unwrap_or(b"");
    let is_segment = |segment: &[u8]| {
        segment.split_first().is_some_and(|(first, rest)| is_first(*first) && rest.iter().all(is_any))
    };
    let is_start =
        if first.is_empty() { path.len() > 1 } else { is_segment(first) && !first.contains(&b':') };
    is_start && segments.all(is_segment)
}

fn is_plain_url(url: &[u8]) -> bool {
    let rest = url.strip_prefix(b"http").map(|rest| rest.strip_prefix(b"s").unwrap_or(rest));
    let Some(rest) = rest.and_then(|rest| rest.strip_prefix(b"://")) else {
        return false;
    };
    let is_of_host =
        |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
    let host = rest.iter().take_while(|byte| is_of_host(byte)).count();
    let mut rest = &rest[host..];
    if rest.first() == Some(&b':') {
        let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        rest = &rest[1 + digits..];
    }
    let is_of_path = |byte: &u8| is_any(byte) || *byte == b'/';
    let is_plain =
        with_plain_query(rest).is_some_and(|path| path.iter().all(is_of_path) && path.first() == Some(&b'/'));
    host > 0 && (rest.is_empty() || is_plain)
}
