//! What a stranger needs to write a client: an OpenAPI document made from the types themselves, and a page to read.

pub use texas42_hosting::openapi;

/// The page at `/api`.
pub(crate) use texas42_hosting::API_PAGE as PAGE;
