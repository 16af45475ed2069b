import type { PersonNotice } from '../notify-person.js'

/** The kinds of mails about an account. */
export type PersonMailKind = PersonNotice | 'operator-token-expiring' | 'password-link'

/** A number as its reader writes it, and the form that their language gives to the words beside it. */
export interface Amount {
  text: string
  form: Intl.LDMLPluralRule
}

/** Chooses between the words for one and those for several. */
export const plural = ({ form }: Amount, one: string, other: string): string => (form === 'one' ? one : other)

/** Makes words about one or about several of what is counted; `{n}` is in the place of their number. */
export const oneOrMore =
  (one: string, other: string) =>
  (many: Amount): string =>
    plural(many, one, other.replace('{n}', many.text))
