//! The current date where the user is.

use texas42_vocab::Date;

/// Today, in the time zone of the system.
pub(crate) fn today() -> Option<Date> {
    let date = jiff::Zoned::now().date();
    Date::new(u16::try_from(date.year()).ok()?, u8::try_from(date.month()).ok()?, u8::try_from(date.day()).ok()?)
}
