use riposte_settings::ErrorReport;

use super::{KafkaSettings, SaslMechanism};

fn settings() -> KafkaSettings {
    KafkaSettings {
        brokers: vec!["kafka-1.example:9092".to_owned(), "[::1]:9092".to_owned()],
        topic: "riposte.events.v1".to_owned(),
        partitions: 200,
        create_topic: false,
        ca_file: None,
        cert_file: None,
        key_file: None,
        sasl_mechanism: None,
        sasl_user: String::new(),
        sasl_password_file: None,
    }
}

/// The keys that are wrong after a change of sound settings.
fn wrong(change: impl FnOnce(&mut KafkaSettings)) -> Vec<String> {
    let mut changed = settings();
    change(&mut changed);
    let mut report = ErrorReport::default();
    changed.validate(&mut report.under("kafka"));
    report.into_faults().into_iter().map(|fault| fault.path.trim_start_matches("kafka.").to_owned()).collect()
}

#[test]
fn each_wrong_value_is_reported_by_its_key() {
    let expected: Vec<String> = if super::IS_AVAILABLE { Vec::new() } else { vec!["brokers".to_owned()] };
    assert_eq!(wrong(|_| {}), expected);
    let is_wrong = |key: &str, change: fn(&mut KafkaSettings)| {
        assert!(wrong(change).iter().any(|found| found == key), "{key}: {:?}", wrong(change));
    };
    is_wrong("brokers.1", |kafka| kafka.brokers[1] = "kafka-2".to_owned());
    is_wrong("brokers.0", |kafka| kafka.brokers[0] = "http://kafka-1:9092".to_owned());
    is_wrong("brokers.0", |kafka| kafka.brokers[0] = "kafka-1:0".to_owned());
    is_wrong("partitions", |kafka| kafka.partitions = 0);
    is_wrong("partitions", |kafka| kafka.partitions = 10_001);
    is_wrong("topic", |kafka| kafka.topic = "events v1".to_owned());
    is_wrong("topic", |kafka| kafka.topic = "..".to_owned());
    is_wrong("ca_file", |kafka| kafka.ca_file = Some("".into()));
    is_wrong("cert_file", |kafka| kafka.cert_file = Some("cert.pem".into()));
    is_wrong("cert_file", |kafka| {
        (kafka.cert_file, kafka.key_file) = (Some("cert.pem".into()), Some("key.pem".into()));
    });
    is_wrong("sasl_mechanism", |kafka| kafka.sasl_mechanism = Some(SaslMechanism::ScramSha512));
    is_wrong("sasl_user", |kafka| kafka.sasl_user = "riposte".to_owned());
    is_wrong("sasl_mechanism", |kafka| {
        (kafka.sasl_mechanism, kafka.sasl_user) = (Some(SaslMechanism::Plain), "riposte".to_owned());
        kafka.sasl_password_file = Some("password".into());
    });
}

#[test]
fn without_brokers_no_other_value_is_required_and_no_file_is_read() {
    let unset = KafkaSettings { brokers: Vec::new(), cert_file: Some("/absent".into()), ..settings() };
    let mut report = ErrorReport::default();
    unset.validate(&mut report.under("kafka"));
    assert_eq!(report.into_faults().len(), 0);
    assert!(unset.check_files().is_ok());
}

#[test]
fn a_file_that_cannot_be_read_is_reported_by_its_key() {
    let missing = KafkaSettings { ca_file: Some("/absent/ca.pem".into()), ..settings() };
    let faults = missing.check_files().expect_err("the file is absent").0;
    assert_eq!(faults.iter().map(|fault| fault.path.as_str()).collect::<Vec<_>>(), ["events.kafka.ca_file"]);
}
