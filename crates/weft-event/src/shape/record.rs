//! Typed structs from the same declaration as their shape.

use std::borrow::Cow;

use crate::json::{Json, Kind, Value, write_text};

/// A type that stands for a JSON value on the wire.
pub trait Wire<'a>: Sized {
    /// Reads a value; borrows from it where it can. `None` if it is of another type.
    fn read(value: Value<'a>) -> Option<Self>;

    /// Writes the value as JSON.
    fn write(&self, out: &mut String);
}

impl<'a> Wire<'a> for Cow<'a, str> {
    fn read(value: Value<'a>) -> Option<Self> {
        value.as_text()
    }

    fn write(&self, out: &mut String) {
        write_text(out, self);
    }
}

impl<'a> Wire<'a> for Json<'a> {
    fn read(value: Value<'a>) -> Option<Self> {
        Some(Json::of(value))
    }

    fn write(&self, out: &mut String) {
        out.push_str(self.as_str());
    }
}

impl Wire<'_> for bool {
    fn read(value: Value<'_>) -> Option<Self> {
        value.as_bool()
    }

    fn write(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl Wire<'_> for u64 {
    fn read(value: Value<'_>) -> Option<Self> {
        value.as_u64()
    }

    fn write(&self, out: &mut String) {
        out.push_str(&self.to_string());
    }
}

impl Wire<'_> for i64 {
    fn read(value: Value<'_>) -> Option<Self> {
        value.as_i64()
    }

    fn write(&self, out: &mut String) {
        out.push_str(&self.to_string());
    }
}

impl Wire<'_> for f64 {
    fn read(value: Value<'_>) -> Option<Self> {
        value.as_f64()
    }

    fn write(&self, out: &mut String) {
        out.push_str(Json::number(*self).as_str());
    }
}

/// `null` stands for `None`. A field that may also be left out is an option of this.
impl<'a, T: Wire<'a>> Wire<'a> for Option<T> {
    fn read(value: Value<'a>) -> Option<Self> {
        match value.kind() {
            Kind::Null => Some(None),
            _ => T::read(value).map(Some),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Some(value) => value.write(out),
            None => out.push_str("null"),
        }
    }
}

impl<'a, T: Wire<'a>> Wire<'a> for Vec<T> {
    fn read(value: Value<'a>) -> Option<Self> {
        if value.kind() != Kind::Array {
            return None;
        }
        value.items().map(T::read).collect()
    }

    fn write(&self, out: &mut String) {
        out.push('[');
        for (n, item) in self.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            item.write(out);
        }
        out.push(']');
    }
}

/// Declares an object once: its struct, its [`Shape`](super::Shape) and how it is read and written.
///
/// `name: ! Type = check;` is a required field, `name: ? Type = check;` an optional one, `name: ~ Type = check, else Code;` one
/// that the document demands and producers leave out. `name as "key"` gives the key on the wire where it cannot be the field's name.
/// Fields that the shape does not know are kept in `extra`, in order, so that writing gives back what was read.
macro_rules! record {
    (
        $(#[doc = $about:literal])+
        pub struct $Name:ident = $SHAPE:ident($title:literal, $others:ident) {
            $(
                $(#[doc = $field_about:literal])+
                $field:ident $(as $key:literal)? : $presence:tt $Type:ty = $check:expr $(, else $code:ident)?;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $Name<'a> {
            $(
                $(#[doc = $field_about])+
                pub $field: $crate::shape::record!(@type $presence $Type),
            )*
            /// Fields beyond the known ones, as they stand on the wire.
            pub extra: Vec<(std::borrow::Cow<'a, str>, $crate::json::Json<'a>)>,
        }

        #[doc = concat!("The shape of [`", stringify!($Name), "`].")]
        pub static $SHAPE: $crate::shape::Shape = $crate::shape::Shape::new(
            $title,
            concat!($($about,)+).trim_ascii(),
            &[$(
                $crate::shape::Field::new(
                    $crate::shape::record!(@key $field $($key)?),
                    $crate::shape::record!(@presence $presence $($code)?),
                    $check,
                    concat!($($field_about,)+).trim_ascii(),
                ),
            )*],
            $crate::shape::Others::$others,
        );

        impl<'a> $crate::shape::Wire<'a> for $Name<'a> {
            fn read(value: $crate::json::Value<'a>) -> Option<Self> {
                if value.kind() != $crate::json::Kind::Object {
                    return None;
                }
                $(let mut $field = None;)*
                let mut extra = Vec::new();
                for (key, member) in value.members() {
                    let name = key.as_text()?;
                    match name.as_ref() {
                        $($crate::shape::record!(@key $field $($key)?) if $field.is_none() => {
                            $field = Some($crate::shape::Wire::read(member)?);
                        })*
                        _ => extra.push((name, $crate::json::Json::of(member))),
                    }
                }
                Some(Self { $($field: $crate::shape::record!(@take $presence $field),)* extra })
            }

            fn write(&self, out: &mut String) {
                let mut object = $crate::json::Object::begin(out);
                $($crate::shape::record!(@write $presence object, self.$field, $crate::shape::record!(@key $field $($key)?));)*
                for (name, json) in &self.extra {
                    object.json(name, json);
                }
                object.end();
            }
        }

        impl $Name<'_> {
            /// Returns the object as one line of JSON.
            pub fn to_line(&self) -> String {
                let mut out = String::new();
                $crate::shape::Wire::write(self, &mut out);
                out
            }
        }
    };
    (@type ! $Type:ty) => { $Type };
    (@type ? $Type:ty) => { Option<$Type> };
    (@type ~ $Type:ty) => { Option<$Type> };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@presence !) => { $crate::shape::Presence::Required };
    (@presence ?) => { $crate::shape::Presence::Optional };
    (@presence ~ $code:ident) => { $crate::shape::Presence::Expected($crate::problem::Code::$code) };
    (@take ! $field:ident) => { $field? };
    (@take ? $field:ident) => { $field };
    (@take ~ $field:ident) => { $field };
    (@write ! $object:ident, $value:expr, $key:expr) => {
        $crate::shape::Wire::write(&$value, $object.key($key))
    };
    (@write ? $object:ident, $value:expr, $key:expr) => {
        if let Some(value) = &$value {
            $crate::shape::Wire::write(value, $object.key($key));
        }
    };
    (@write ~ $object:ident, $value:expr, $key:expr) => {
        $crate::shape::record!(@write ? $object, $value, $key)
    };
}

/// Declares an enum of words: the words on the wire, their list, and how they are read and written.
macro_rules! text_enum {
    (
        $(#[$meta:meta])+
        pub enum $Name:ident { $($(#[$about:meta])+ $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$meta])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Name { $($(#[$about])+ $variant,)+ }

        impl $Name {
            /// Every value.
            pub const ALL: &'static [$Name] = &[$($Name::$variant,)+];
            /// Every word, in the order of [`Self::ALL`].
            pub const WORDS: &'static [&'static str] = &[$($word,)+];

            /// Returns the word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $($Name::$variant => $word,)+ }
            }

            /// Returns the value of a word.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some($Name::$variant),)+ _ => None }
            }
        }

        /// The first value, so that a record can start as a blank form.
        impl Default for $Name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl $crate::shape::Wire<'_> for $Name {
            fn read(value: $crate::json::Value<'_>) -> Option<Self> {
                Self::parse(&value.as_text()?)
            }

            fn write(&self, out: &mut String) {
                $crate::json::write_text(out, self.as_str());
            }
        }
    };
}

/// Declares a type that stands for one word and is nothing else, so that a record cannot say another.
macro_rules! word {
    ($Name:ident = $word:literal) => {
        #[doc = concat!("The word `", $word, "`, and no other.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $Name;

        impl $Name {
            /// The word, as the list that a shape asks for.
            pub const WORDS: &'static [&'static str] = &[$word];
        }

        impl $crate::shape::Wire<'_> for $Name {
            fn read(value: $crate::json::Value<'_>) -> Option<Self> {
                value.is_text($word).then_some(Self)
            }

            fn write(&self, out: &mut String) {
                $crate::json::write_text(out, $word);
            }
        }
    };
}

pub(crate) use {record, text_enum, word};
