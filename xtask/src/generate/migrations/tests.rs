use super::{Schema, Step, Table, entity, step};

const TABLE: &str = "# What it is for.\ntables:\n  - name: toy_@\n    about: A toy.\n    spread: index\n    columns:\n      \
                     id: bigint\n      part: smallint\n    primary: [id]\n";

fn steps(texts: &[&str]) -> anyhow::Result<Schema> {
    let named = |(number, text): (usize, &&str)| Step::parse(&format!("m{number:04}_toy"), text);
    Schema::of((1..).zip(texts).map(named).collect::<anyhow::Result<_>>()?)
}

fn fault(texts: &[&str]) -> String {
    steps(texts).err().map_or_else(String::new, |error| format!("{error:#}"))
}

#[test]
fn an_added_column_and_key_are_in_the_step_and_the_column_in_the_entity() {
    let columns = "# A column.\nadd_columns:\n  - table: toy_@\n    columns: { colour: varbinary(8) null }\n";
    let keys = "# A key.\nadd_keys:\n  - table: toy_@\n    keys: [{ name: colour, columns: [colour, id] }]\n";
    let schema = steps(&[TABLE, columns, keys]).unwrap();
    let [toy] = &schema.present()[..] else { panic!("one table") };
    let entity = entity::module(toy).unwrap();
    assert!(entity.contains("//! A toy.") && entity.contains("pub colour: Option<Vec<u8>>,\n}"), "{entity}");
    let made = |number: usize| step::module(&schema.steps[number], &schema).unwrap();
    let at = "table: \"toy_@\", spread: TableSpread::Index";
    let column = "column: ColumnSpec { name: \"colour\", kind: ColumnType::VarBinary(8), nullable: true }";
    assert!(made(1).contains(&format!("        AddColumn {{ {at}, {column} }},\n")), "{}", made(1));
    let key = "index: IndexSpec { name: \"colour\", unique: false, columns: &[\"colour\", \"id\"] }";
    assert!(made(2).contains(&format!("        AddIndex {{ {at}, {key} }},\n")), "{}", made(2));
    assert!(step::names(&schema).unwrap().contains("[&str; 3] = [\n    \"m0001_toy\","));
}

#[test]
fn a_dropped_table_has_no_entity() {
    let once = TABLE.replace("_@", "").replace("index", "once");
    let schema = steps(&[&once, "# It goes.\ndrops: [toy]\n"]).unwrap();
    assert!(schema.present().iter().map(Table::module).next().is_none());
    assert!(step::module(&schema.steps[1], &schema).unwrap().contains("dropped: &[\"toy\"]"));
}

#[test]
fn a_step_that_older_processes_would_not_survive_is_refused() {
    let added = |table: &str, kind: &str| {
        format!("# A column.\nadd_columns:\n  - table: {table}\n    columns: {{ colour: {kind} }}\n")
    };
    let unique = "# A key.\nadd_keys:\n  - table: toy_@\n    keys: [{ name: one, unique: true, columns: [id] }]\n";
    for (texts, reason) in [
        (vec![TABLE.to_owned(), added("toy_@", "bigint")], "has to be null"),
        (vec![TABLE.to_owned(), added("toy_@", "bigint null"), added("toy_@", "bigint null")], "exists already"),
        (vec![TABLE.to_owned(), unique.to_owned()], "must not be unique"),
        (vec![TABLE.to_owned(), "# It goes.\ndrops: [toy_@]\n".to_owned(), added("toy_@", "bigint null")], "drops"),
        (vec![TABLE.to_owned(), added("toy", "bigint null")], "no step creates toy"),
        (vec![TABLE.to_owned(), added("toy_@", "varchar(8) null")], "\"varchar(8)\" is unknown"),
        (vec![TABLE.replace("primary: [id]", "primary: [key]")], "unknown column"),
        (vec![TABLE.replace("      part: smallint\n", "")], "the column part"),
        (vec![TABLE.replace("toy_@", "toy")], "only a routed table"),
        (vec![TABLE.trim_start_matches("# What it is for.\n").to_owned()], "begins with a comment"),
        (vec![TABLE.replace("about", "abuot")], "abuot"),
    ] {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert!(fault(&texts).contains(reason), "{reason}: {}", fault(&texts));
    }
    let unnumbered = Schema::of(vec![Step::parse("m0002_toy", TABLE).unwrap()]);
    assert!(unnumbered.is_err_and(|error| error.to_string().contains("step 1 is called m0002_toy")));
}
