//! Reading values that were packed: serde asks for each in turn, and is given the next.

use serde::de::value::U32Deserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{PackError, Shape, Shapes};

type Result<T> = std::result::Result<T, PackError>;

/// Reads values one behind the other.
pub(super) struct Reader<'de> {
    bytes: &'de [u8],
    shapes: Shapes,
}

impl<'de> Reader<'de> {
    pub(super) fn new(bytes: &'de [u8]) -> Self {
        Self { bytes, shapes: Shapes::default() }
    }

    /// Makes sure that what was read is what was written, and all of it.
    pub(super) fn finish(mut self) -> Result<()> {
        let n_shapes = self.many()?;
        let mut met = std::mem::take(&mut self.shapes.met).into_iter();
        for _ in 0..n_shapes {
            if met.next() != Some(u64::from_le_bytes(self.array()?)) {
                return Err(PackError::Shapes);
            }
        }
        match (met.next(), self.bytes.len()) {
            (Some(_), _) => Err(PackError::Shapes),
            (None, 0) => Ok(()),
            (None, n_bytes) => Err(PackError::Left { n_bytes }),
        }
    }

    fn take(&mut self, n_bytes: usize) -> Result<&'de [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(n_bytes).ok_or(PackError::Ended)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk().ok_or(PackError::Ended)?;
        self.bytes = rest;
        Ok(*taken)
    }

    fn byte(&mut self) -> Result<u8> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if bits << shift >> shift != bits {
                return Err(PackError::Value);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(PackError::Value)
    }

    fn unsigned<T: TryFrom<u64>>(&mut self) -> Result<T> {
        T::try_from(self.number()?).ok().ok_or(PackError::Value)
    }

    fn signed<T: TryFrom<i64>>(&mut self) -> Result<T> {
        let folded = self.number()?;
        let number = (folded >> 1).cast_signed() ^ -(folded & 1).cast_signed();
        T::try_from(number).ok().ok_or(PackError::Value)
    }

    /// Reads how many values follow. Each takes a byte at least, so that no more are made room for than there can be.
    fn many(&mut self) -> Result<usize> {
        let n: usize = self.unsigned()?;
        if n <= self.bytes.len() { Ok(n) } else { Err(PackError::Ended) }
    }

    fn raw(&mut self) -> Result<&'de [u8]> {
        let n = self.many()?;
        self.take(n)
    }

    fn text(&mut self) -> Result<&'de str> {
        std::str::from_utf8(self.raw()?).ok().ok_or(PackError::Value)
    }

    fn flag(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(PackError::Value),
        }
    }

    fn fields<V: Visitor<'de>>(&mut self, fields: &[&str], visitor: V) -> Result<V::Value> {
        let value = visitor.visit_seq(Elements { reader: self, left: fields.len() })?;
        let shape = fields.iter().fold(Shape::FIELDS, |shape, field| shape.with(field));
        self.shapes.meet(shape);
        Ok(value)
    }
}

/// Reads values by one of their kind.
macro_rules! values {
    ($($method:ident $visit:ident |$reader:ident| $read:expr;)+) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                let $reader = self;
                visitor.$visit($read?)
            }
        )+
    };
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = PackError;

    values! {
        deserialize_bool visit_bool |reader| reader.flag();
        deserialize_u8 visit_u8 |reader| reader.unsigned();
        deserialize_u16 visit_u16 |reader| reader.unsigned();
        deserialize_u32 visit_u32 |reader| reader.unsigned();
        deserialize_u64 visit_u64 |reader| reader.number();
        deserialize_i8 visit_i8 |reader| reader.signed();
        deserialize_i16 visit_i16 |reader| reader.signed();
        deserialize_i32 visit_i32 |reader| reader.signed();
        deserialize_i64 visit_i64 |reader| reader.signed();
        deserialize_f32 visit_f32 |reader| reader.array().map(f32::from_le_bytes);
        deserialize_f64 visit_f64 |reader| reader.array().map(f64::from_le_bytes);
        deserialize_char visit_char |reader| {
            reader.unsigned().and_then(|code| char::from_u32(code).ok_or(PackError::Value))
        };
        deserialize_str visit_borrowed_str |reader| reader.text();
        deserialize_string visit_borrowed_str |reader| reader.text();
        deserialize_bytes visit_borrowed_bytes |reader| reader.raw();
        deserialize_byte_buf visit_borrowed_bytes |reader| reader.raw();
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value> {
        Err(PackError::Unsupported("a value that says itself what it is"))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value> {
        Err(PackError::Unsupported("a value that nobody asks for"))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value> {
        Err(PackError::Unsupported("a field by its name"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.flag()? { visitor.visit_some(self) } else { visitor.visit_none() }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let left = self.many()?;
        visitor.visit_seq(Elements { reader: self, left })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(Elements { reader: self, left: len })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_seq(Elements { reader: self, left: len })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let left = self.many()?;
        visitor.visit_map(Elements { reader: self, left })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.fields(fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(Variant { reader: self, variants })
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Values that belong together.
struct Elements<'r, 'de> {
    reader: &'r mut Reader<'de>,
    left: usize,
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = PackError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for Elements<'_, 'de> {
    type Error = PackError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        seed.deserialize(&mut *self.reader)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// One of several variants.
struct Variant<'r, 'de> {
    reader: &'r mut Reader<'de>,
    variants: &'static [&'static str],
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = PackError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let index: u32 = self.reader.unsigned()?;
        let name = usize::try_from(index).ok().and_then(|index| self.variants.get(index));
        let name = name.ok_or(PackError::Value)?;
        self.reader.shapes.meet(Shape::of_variant(index, name));
        let value = seed.deserialize(U32Deserializer::<PackError>::new(index))?;
        Ok((value, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = PackError;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.reader)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(Elements { reader: self.reader, left: len })
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.reader.fields(fields, visitor)
    }
}
