//! The room.
