//! Key-value storage of texts.

/// Stores texts by name: local storage in the browser, memory in tests.
pub trait Storage {
    /// The text under a name.
    fn get(&self, name: &str) -> Option<String>;
    /// Stores a text under a name and replaces the previous one.
    fn set(&self, name: &str, text: &str);
    /// Removes the text under a name.
    fn remove(&self, name: &str);
}
