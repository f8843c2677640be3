//! Writing values one behind the other as serde tells them, gathered into larger pieces.

use std::io;

use serde::ser::{self, Serialize};

use super::{PackError, Shape, Shapes};

/// Bytes that are gathered before they are passed on.
const GATHERED_BYTES: usize = 64 << 10;

type Result<T = ()> = std::result::Result<T, PackError>;

/// Writes values one behind the other.
pub(super) struct Writer<'o> {
    out: &'o mut dyn io::Write,
    gathered: Vec<u8>,
    shapes: Shapes,
}

impl<'o> Writer<'o> {
    pub(super) fn new(out: &'o mut dyn io::Write) -> Self {
        let gathered = Vec::with_capacity(GATHERED_BYTES + 1024);
        Self { out, gathered, shapes: Shapes::default() }
    }

    /// Writes which names were met, and passes on the rest.
    pub(super) fn finish(mut self) -> Result {
        let met = std::mem::take(&mut self.shapes.met);
        self.number(met.len() as u64);
        met.iter().for_each(|shape| self.gathered.extend(shape.to_le_bytes()));
        self.pass_on()
    }

    fn pass_on(&mut self) -> Result {
        self.out.write_all(&self.gathered)?;
        self.gathered.clear();
        Ok(())
    }

    /// Writes a number, seven bits a byte, the lowest first; all but the last have the highest bit set.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.gathered.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.gathered.push(number.to_le_bytes()[0]);
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result {
        self.number(bytes.len() as u64);
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= GATHERED_BYTES { self.pass_on() } else { Ok(()) }
    }

    /// Writes how many values follow.
    fn many(&mut self, len: Option<usize>) -> Result<&mut Self> {
        let len = len.ok_or(PackError::Unsupported("a list of unknown length"))?;
        self.number(len as u64);
        Ok(self)
    }

    fn variant(&mut self, index: u32, name: &'static str) {
        self.shapes.meet(Shape::of_variant(index, name));
        self.number(u64::from(index));
    }
}

/// Writes numbers by one of their kind.
macro_rules! numbers {
    ($($method:ident: $Type:ty => |$writer:ident, $value:ident| $write:expr;)+) => {
        $(
            fn $method(self, $value: $Type) -> Result {
                let $writer = self;
                $write;
                Ok(())
            }
        )+
    };
}

impl<'w, 'o> ser::Serializer for &'w mut Writer<'o> {
    type Ok = ();
    type Error = PackError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Fields<'w, 'o>;
    type SerializeStructVariant = Fields<'w, 'o>;

    numbers! {
        serialize_bool: bool => |writer, value| writer.gathered.push(u8::from(value));
        serialize_u8: u8 => |writer, value| writer.number(u64::from(value));
        serialize_u16: u16 => |writer, value| writer.number(u64::from(value));
        serialize_u32: u32 => |writer, value| writer.number(u64::from(value));
        serialize_u64: u64 => |writer, value| writer.number(value);
        serialize_i8: i8 => |writer, value| writer.number(folded(i64::from(value)));
        serialize_i16: i16 => |writer, value| writer.number(folded(i64::from(value)));
        serialize_i32: i32 => |writer, value| writer.number(folded(i64::from(value)));
        serialize_i64: i64 => |writer, value| writer.number(folded(value));
        serialize_f32: f32 => |writer, value| writer.gathered.extend(value.to_le_bytes());
        serialize_f64: f64 => |writer, value| writer.gathered.extend(value.to_le_bytes());
        serialize_char: char => |writer, value| writer.number(u64::from(u32::from(value)));
    }

    fn serialize_str(self, value: &str) -> Result {
        self.bytes(value.as_bytes())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result {
        self.bytes(value)
    }

    fn serialize_none(self) -> Result {
        self.gathered.push(0);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result {
        self.gathered.push(1);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result {
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result {
        self.variant(index, variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result {
        self.variant(index, variant);
        value.serialize(self)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self> {
        self.many(len)
    }

    fn serialize_tuple(self, _len: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self> {
        self.variant(index, variant);
        Ok(self)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self> {
        self.many(len)
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<Fields<'w, 'o>> {
        Ok(Fields { writer: self, shape: Shape::FIELDS })
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Fields<'w, 'o>> {
        self.variant(index, variant);
        Ok(Fields { writer: self, shape: Shape::FIELDS })
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Returns a number with its sign in the lowest bit, so that small ones are short either way.
fn folded(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

/// Writes what has no names by one of its kind.
macro_rules! elements {
    ($($Trait:ident $method:ident;)+) => {
        $(
            impl ser::$Trait for &mut Writer<'_> {
                type Ok = ();
                type Error = PackError;

                fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
                    value.serialize(&mut **self)
                }

                fn end(self) -> Result {
                    Ok(())
                }
            }
        )+
    };
}

elements! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

impl ser::SerializeMap for &mut Writer<'_> {
    type Ok = ();
    type Error = PackError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result {
        Ok(())
    }
}

/// Writes the fields of a structure.
pub(super) struct Fields<'w, 'o> {
    writer: &'w mut Writer<'o>,
    shape: Shape,
}

macro_rules! fields {
    ($($Trait:ident)+) => {
        $(
            impl ser::$Trait for Fields<'_, '_> {
                type Ok = ();
                type Error = PackError;

                fn serialize_field<T: Serialize + ?Sized>(
                    &mut self,
                    key: &'static str,
                    value: &T,
                ) -> Result {
                    self.shape = self.shape.with(key);
                    value.serialize(&mut *self.writer)
                }

                // What is left out is nothing or empty, and reads as such.
                fn skip_field(&mut self, key: &'static str) -> Result {
                    self.shape = self.shape.with(key);
                    self.writer.gathered.push(0);
                    Ok(())
                }

                fn end(self) -> Result {
                    self.writer.shapes.meet(self.shape);
                    Ok(())
                }
            }
        )+
    };
}

fields!(SerializeStruct SerializeStructVariant);
