//! Values computed from signals, with one type of memo for all of them. Leptos compiles the code of a memo again for each
//! type of value, and the page has thirty.

use std::{any::Any, marker::PhantomData, sync::Arc};

use leptos::prelude::*;

/// A value computed from signals. It is computed again when one of them changes; what reads it runs again only if the new
/// value is different.
pub struct Computed<T> {
    memo: Memo<Value>,
    kind: PhantomData<fn() -> T>,
}

impl<T> Clone for Computed<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Computed<T> {}

impl<T: Clone + PartialEq + Send + Sync + 'static> Computed<T> {
    /// Computes a value from the signals that `compute` reads.
    pub fn new(compute: impl Fn() -> T + Send + Sync + 'static) -> Self {
        let compute: Box<dyn Fn() -> Value + Send + Sync> = Box::new(move || Value(Arc::new(compute())));
        Self { memo: Memo::new(move |_| compute()), kind: PhantomData }
    }

    /// The value. Subscribes to it.
    pub fn get(self) -> T {
        self.with(T::clone)
    }

    /// The value, without a subscription.
    pub fn get_untracked(self) -> T {
        self.with_untracked(T::clone)
    }

    /// Reads something of the value. Subscribes to it.
    pub fn with<R>(self, read: impl FnOnce(&T) -> R) -> R {
        read(self.memo.get().as_ref())
    }

    /// Reads something of the value, without a subscription.
    pub fn with_untracked<R>(self, read: impl FnOnce(&T) -> R) -> R {
        read(self.memo.get_untracked().as_ref())
    }
}

/// A value of any type.
#[derive(Clone)]
struct Value(Arc<dyn Comparable>);

impl Value {
    fn as_ref<T: 'static>(&self) -> &T {
        let value: &dyn Any = &*self.0;
        value.downcast_ref().expect("a computed value keeps its type")
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_equal(&*other.0)
    }
}

trait Comparable: Any + Send + Sync {
    fn is_equal(&self, other: &dyn Any) -> bool;
}

impl<T: PartialEq + Any + Send + Sync> Comparable for T {
    fn is_equal(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
