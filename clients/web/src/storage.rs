//! Texts under names, as the local storage of a browser keeps them.

/// Keeps texts under names. The browser's local storage is one; tests keep them in memory.
pub trait Storage {
    /// The text under a name.
    fn get(&self, name: &str) -> Option<String>;
    /// Keeps a text under a name, instead of the one that was there.
    fn set(&self, name: &str, text: &str);
    /// Removes the text under a name.
    fn remove(&self, name: &str);
}
