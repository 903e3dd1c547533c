//! Types of values, and equality.

use linetape::Decoder;

#[test]
fn values_compare_with_what_they_hold() {
    let line = br#"{"s":"x","t":true,"u":1,"i":-1,"f":1.0,"n":null}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let get = |key| record.value().get(key).unwrap();
    assert!(get("s") == "x" && get("s") == *"x" && get("s") != "y");
    assert!(get("t") == true && get("t") != false && get("n") != false);
    assert!(get("u") == 1u64 && get("u") == 1i64 && get("u") == 1.0);
    assert!(get("i") == -1i64 && get("i") != 1u64 && get("i") == -1.0);
    assert!(get("f") == 1.0 && get("f") != 1u64 && get("f") != get("u"));
    assert!(get("n") == get("n") && get("s").is_string());
    assert!(get("u").is_number() && get("f").is_number());
    assert!(!get("s").is_number() && !get("n").is_bool());
    assert!(get("t").is_bool() && record.value().is_object());
    assert!(!record.value().is_array());
}

/// Of members with the same key, the last one is compared.
#[test]
fn the_last_of_repeated_keys_is_compared() {
    let line = br#"{"a":{"k":1,"k":2},"b":{"k":2},"c":{"k":2,"l":2}}"#;
    let mut decoder = Decoder::new();
    let record = decoder.decode(line).unwrap();
    let get = |key| record.value().get(key).unwrap();
    assert_eq!(get("a"), get("b"));
    assert_ne!(get("b"), get("c"));
    assert_ne!(get("c"), get("b"));
}

/// Iterators return nothing after their end, and no more items than
/// `size_hint`.
#[test]
fn iterators_end_once() {
    let texts = [
        r#"{"a":[1,{},"x"],"m":{"a":1,"b":[2]}}"#,
        r#"{"a":[1,{},,"x"],"m":{"a":1,"\x":2,"b":3}}"#,
        r#"{"a":[],"m":{}}"#,
    ];
    for text in texts {
        let mut one = Decoder::new();
        let line = one.line(text.as_bytes());
        let peeked = line.peek().unwrap().value();
        let mut other = Decoder::new();
        let record = other.decode(text.as_bytes());
        let record = record.as_ref().ok();
        let values = [Some(peeked), record.map(|record| record.value())];
        for value in values.into_iter().flatten() {
            let mut items = value.get("a").unwrap().as_array().unwrap().iter();
            let most = items.size_hint().1.unwrap();
            assert!(items.by_ref().count() <= most, "{text}");
            assert!(items.next().is_none() && items.next().is_none());
            let object = value.get("m").unwrap().as_object().unwrap();
            let mut members = object.iter();
            let most = members.size_hint().1.unwrap();
            assert!(members.by_ref().count() <= most, "{text}");
            assert!(members.next().is_none() && members.next().is_none());
        }
    }
}
