//! Checks of ports before anything starts, so that the error for an occupied port names the setting
//! that changes it.

use super::exit::{ERROR, Failure};
use std::{
    io::ErrorKind,
    net::{SocketAddr, TcpListener},
};

/// Checks that each address can be listened on. The text of an address names the setting that
/// changes it.
///
/// # Errors
/// The first address that cannot be listened on, with its cure.
pub(super) fn check(addresses: &[(SocketAddr, &str)]) -> Result<(), Failure> {
    addresses.iter().try_for_each(|(address, setting)| match TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Err(Failure::new(
            ERROR,
            format!("{address} is in use by another process: choose another address with {setting} (port 0 takes any free port)"),
        )),
        Err(error) => Err(Failure::new(ERROR, format!("cannot listen on {address}, which {setting} sets: {error}"))),
    })
}

/// Returns true if an address can be listened on at this moment.
pub(super) fn is_free(address: SocketAddr) -> bool {
    TcpListener::bind(address).is_ok()
}

#[cfg(test)]
mod tests {
    use super::check;
    use std::net::TcpListener;

    #[test]
    fn a_busy_port_is_named_together_with_the_flag_that_moves_it() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let free = "127.0.0.1:0".parse().unwrap();
        let message = check(&[(free, "--listen"), (address, "--admin-listen")]).unwrap_err().to_string();
        assert!(message.contains(&address.to_string()) && message.contains("--admin-listen"), "{message}");
        drop(taken);
        check(&[(address, "--admin-listen")]).unwrap();
    }
}
