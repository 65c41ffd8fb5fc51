//! Real discussions: imported by the command line, walked through gRPC, and compared with their
//! files, which are read here without the server's importers.

mod real {
    mod crash;
    mod exports;
    mod interrupted;
    mod madrid;
    mod moderation;
    mod polis;
    mod ranked;
}
