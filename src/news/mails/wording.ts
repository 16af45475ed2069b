import type { PersonNotice } from '../notify-person.js'

/** The kinds of mails about an account. */
export type PersonMailKind = PersonNotice | 'operator-token-expiring' | 'password-link'

/** A formatted number, and the plural form that its language needs. */
export interface Amount {
  text: string
  form: Intl.LDMLPluralRule
}

/** Chooses between singular and plural. */
export const plural = ({ form }: Amount, one: string, other: string): string => (form === 'one' ? one : other)

/** Returns a function that chooses between singular and plural and replaces `{n}` with the number. */
export const oneOrMore =
  (one: string, other: string) =>
  (many: Amount): string =>
    plural(many, one, other.replace('{n}', many.text))
