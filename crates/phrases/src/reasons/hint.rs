//! Hints about a choice, for players who turned hints on.

texas42_vocab::tagged! {
    "Hint": tag = "code", rename_all = "kebab-case", rename_all_fields = "camelCase", expecting = "a hint";
    /// A hint about a choice, based only on the seat's own dominoes and the table.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Hint {
        /// It is the only choice.
        OnlyChoice,
        /// No unseen domino can beat it.
        CannotBeBeaten,
        /// It beats the trick on the table.
        BeatsTheTable,
        /// The partner wins the trick so far, and the domino carries count.
        CountToPartner,
        /// It cannot win this trick and gives away count.
        GivesCountAway,
        /// It cannot win this trick and costs nothing.
        Safe,
        /// The seat holds this many of the suit, with its double or without.
        SuitLength {
            /// The number of dominoes.
            held: u8,
            /// Whether the double is one of them.
            with_double: bool,
        },
        /// This many tricks look certain with the best trumps.
        SureTricks {
            /// The number of tricks.
            tricks: u8,
        },
        /// The seat takes the rest, however the unseen dominoes lie.
        RestIsYours,
        /// The rest is not certain.
        RestIsOpen,
    }
}
