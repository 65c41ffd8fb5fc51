//! Rules and their terms.

use super::*;
use crate::rule_inputs::MemberInputs;

const MEMBER: MemberInputs = MemberInputs { approved: Some(5), age: Some(30), first_post: Some(false) };
const INPUTS: RuleInputs = RuleInputs { links: 2, mentions: 1, length: 100, repeats: 4, is_edit: true, member: MEMBER };

fn term(fact: Fact, comparison: Comparison, value: u32) -> RuleTerm {
    RuleTerm { fact, comparison, value }
}

fn rule(id: &str, when: &[RuleTerm]) -> Rule {
    let (outcome, code) = (PolicyOutcome::Hold, "spam".to_owned());
    Rule { id: id.to_owned(), when: when.to_vec(), outcome, code, effect: ListEffect::Live }
}

#[test]
fn each_comparison_has_its_meaning() {
    // Below, at and above the fact, which is 2.
    let expected = [
        (Comparison::Lt, [false, false, true]),
        (Comparison::Le, [false, true, true]),
        (Comparison::Eq, [false, true, false]),
        (Comparison::Ge, [true, true, false]),
        (Comparison::Gt, [true, false, false]),
    ];
    for (comparison, truths) in expected {
        let found = [1, 2, 3].map(|value| term(Fact::Links, comparison, value).is_true(&INPUTS));
        assert_eq!(found, truths, "{comparison:?}");
    }
}

#[test]
fn each_fact_has_its_value() {
    let values = Fact::ALL.map(|fact| fact.value(&INPUTS));
    assert_eq!(values, [Some(2), Some(5), Some(1), Some(100), Some(4), Some(30), Some(0), Some(1)]);
    let names = Fact::ALL.map(Fact::name);
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), Fact::ALL.len());
}

#[test]
fn a_fact_that_is_not_known_makes_its_term_true() {
    let unknown = RuleInputs { member: MemberInputs::default(), ..INPUTS };
    for fact in [Fact::Approved, Fact::Age, Fact::FirstPost] {
        for comparison in Comparison::ALL {
            assert!(term(fact, comparison, 7).is_true(&unknown), "{fact:?} {comparison:?}");
        }
    }
    assert!(!term(Fact::Length, Comparison::Eq, 7).is_true(&unknown));
    let rules = RuleSet::new(vec![
        rule("new", &[term(Fact::Approved, Comparison::Lt, 9)]),
        rule("long", &[term(Fact::Length, Comparison::Ge, 7)]),
    ]);
    let rules = rules.unwrap();
    assert_eq!(rules.matching_known(&unknown).map(|rule| rule.id.as_str()).collect::<Vec<_>>(), ["long"]);
    assert_eq!(rules.matching_known(&INPUTS).count(), 2);
    assert!(rules.compared().eq([Fact::Approved, Fact::Length]));
}

#[test]
fn a_rule_matches_if_every_term_is_true() {
    let (links, new) = (term(Fact::Links, Comparison::Ge, 2), term(Fact::Approved, Comparison::Lt, 3));
    let rules = RuleSet::new(vec![rule("links", &[links]), rule("links-new", &[links, new])]).unwrap();
    let ids = |inputs: &RuleInputs| rules.matching(inputs).map(|rule| rule.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&INPUTS), ["links"]);
    let new = RuleInputs { member: MemberInputs { approved: Some(2), ..MEMBER }, ..INPUTS };
    assert_eq!(ids(&new), ["links", "links-new"]);
    assert!(ids(&RuleInputs { links: 1, ..new }).is_empty());
}

#[test]
fn wrong_rules_are_refused_with_all_their_faults() {
    let one = term(Fact::Links, Comparison::Ge, 2);
    let masks = Rule { outcome: PolicyOutcome::Mask, ..rule("masks", &[one]) };
    let allows = Rule { outcome: PolicyOutcome::Allow, ..rule("allows", &[one]) };
    let wrong = vec![rule("none", &[]), rule("many", &[one; 9]), masks, allows, rule("none", &[one; 8])];
    let texts: Vec<String> = RuleSet::new(wrong).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "rule none: has no term in `when`, so it is always true",
            "rule many: has 9 terms: at most 8 are possible",
            "rule masks: cannot mask: a rule can flag, hold, reject or refuse",
            "rule allows: cannot allow: a rule can flag, hold, reject or refuse",
            "rule none: two rules have this id",
        ]
    );
    let many = |count: u32| (0..count).map(|id| rule(&id.to_string(), &[one])).collect();
    assert!(RuleSet::new(many(64)).is_ok());
    assert_eq!(RuleSet::new(many(65)), Err(vec![RuleError::TooManyRules(65)]));
}

#[test]
fn a_version_follows_from_every_part_of_the_rules() {
    let (links, long) = (term(Fact::Links, Comparison::Ge, 2), term(Fact::Length, Comparison::Gt, 9));
    let base = rule("links", &[links]);
    let sets = [
        vec![base.clone()],
        vec![Rule { id: "other".to_owned(), ..base.clone() }],
        vec![Rule { outcome: PolicyOutcome::Flag, ..base.clone() }],
        vec![Rule { code: "other".to_owned(), ..base.clone() }],
        vec![Rule { effect: ListEffect::DryRun, ..base.clone() }],
        vec![Rule { when: vec![long], ..base.clone() }],
        vec![Rule { when: vec![links, long], ..base.clone() }],
        vec![Rule { when: vec![RuleTerm { comparison: Comparison::Gt, ..links }], ..base.clone() }],
        vec![Rule { when: vec![RuleTerm { value: 3, ..links }], ..base.clone() }],
        vec![base, rule("second", &[links])],
    ];
    let version = |rules: &Vec<Rule>| RuleSet::new(rules.clone()).unwrap().version().to_owned();
    let versions: HashSet<String> = sets.iter().map(version).collect();
    assert!(versions.len() == sets.len() && versions.iter().all(|version| version.len() == 16), "{versions:?}");
    assert_eq!(version(&sets[0]), version(&sets[0].clone()));
}

#[test]
fn from_some_number_of_public_comments_on_no_term_changes() {
    let settled = |terms: &[RuleTerm]| {
        let rules = terms.iter().enumerate().map(|(n, term)| rule(&n.to_string(), &[*term])).collect();
        RuleSet::new(rules).unwrap().settled_approved()
    };
    let (links, first) = (term(Fact::Links, Comparison::Ge, 9), term(Fact::FirstPost, Comparison::Eq, 1));
    assert_eq!((settled(&[]), settled(&[links]), settled(&[links, first])), (None, None, Some(1)));
    for comparison in Comparison::ALL {
        let approved = term(Fact::Approved, comparison, 3);
        let from = settled(&[links, first, approved]).unwrap();
        let truth = |approved: u32, term: RuleTerm| {
            let first_post = Some(approved == 0);
            let member = MemberInputs { approved: Some(approved), first_post, age: None };
            term.is_true(&RuleInputs { member, ..INPUTS })
        };
        for more in from..from + 50 {
            assert!([first, approved].iter().all(|term| truth(more, *term) == truth(from, *term)), "{comparison:?}");
        }
    }
}
