export const SAVED_TEXT_KINDS = ['TEXT', 'HASHTAGS'] as const

/** A text, or a group of hashtags, that an organization keeps for its posts. */
export interface SavedText {
  id: string
  kind: (typeof SAVED_TEXT_KINDS)[number]
  /** By which people find it: one of each kind has it, whatever its case. */
  name: string
  text: string
}

export type NewSavedText = Omit<SavedText, 'id'>

export interface SavedTextPatch {
  name?: string
  text?: string
}

export interface DeletedSavedText {
  id: string
}
