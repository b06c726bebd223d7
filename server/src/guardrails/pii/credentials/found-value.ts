// A credential in a text, as the readers of this folder return it. Offsets count UTF-16 units of the text.

export interface FoundValue {
  start: number
  /** Exclusive. */
  end: number
  score: number
}

/** The part of a credential in the text that follows its beginning. */
export interface CredentialRest {
  length: number
  /** The text after it may have more. */
  isOpen: boolean
}

/** The form alone shows that it is a credential. Higher than the score of any other type. */
export const scoreOfForm = 0.99
/** A name before the value says so, and the value looks random. */
export const scoreOfName = 0.9
