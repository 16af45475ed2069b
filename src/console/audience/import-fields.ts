import type { ConversationLine } from '../../interface/audience.ts'
import { toNormalForm } from '../../interface/normal-form.ts'

export type FieldName = keyof ConversationLine
/** The choice to skip a column. */
export const LEFT_OUT = ''

/** Other systems' names for these columns, in lower case and without punctuation. */
const NAMES: Record<FieldName, readonly string[]> = {
  conversationId: ['conversation', 'thread', 'threadid', 'messagingid', 'psid', 'igsid', 'subscriberid'],
  cuid: ['customerid', 'customer', 'clientid', 'userid', 'personid', 'contactid', 'id'],
  userName: ['user', 'username', 'handle', 'login', 'nickname', 'instagram'],
  firstName: ['first', 'givenname', 'vorname', 'nombre', 'prenom', 'nome'],
  lastName: ['last', 'surname', 'familyname', 'nachname', 'apellido', 'apellidos', 'sobrenome'],
  profilePic: ['picture', 'photo', 'avatar', 'image', 'profilepicture'],
  birthday: ['birthdate', 'dateofbirth', 'dob', 'bday', 'geburtstag', 'cumpleanos', 'aniversario'],
  lastPurchaseTimestamp: ['lastpurchase', 'lastorder', 'lastorderdate', 'lastpurchasedate'],
  lastUserMessageTimestamp: ['lastmessage', 'lastmessagedate', 'lastinteraction', 'lastusermessage'],
  lastAppOpenTimestamp: ['lastappopen', 'lastopen', 'lastseen'],
  lifetimeValue: ['value', 'ltv', 'clv', 'totalspent', 'amountspent', 'spent', 'revenue', 'total'],
  lifetimeValueAt: ['valueat', 'valuedate', 'ltvdate'],
  vip: ['isvip', 'important', 'favourite', 'favorite'],
}

export const FIELD_NAMES = Object.keys(NAMES) as FieldName[]
export const REQUIRED = ['conversationId', 'cuid'] as const satisfies FieldName[]

const simplify = (name: string): string =>
  toNormalForm(name, 'NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/**
 * Guesses the field of each column, using each field once. A field's own name takes precedence; unknown columns are skipped.
 */
export function guessFields(columns: readonly string[]): (FieldName | typeof LEFT_OUT)[] {
  const guessed = columns.map((): FieldName | typeof LEFT_OUT => LEFT_OUT)
  const guess = (matches: (field: FieldName, column: string) => boolean): void => {
    for (const field of FIELD_NAMES) {
      if (guessed.includes(field)) continue
      const place = columns.findIndex(
        (column, index) => guessed[index] === LEFT_OUT && matches(field, simplify(column)),
      )
      if (place >= 0) guessed[place] = field
    }
  }
  guess((field, column) => column === field.toLowerCase())
  guess((field, column) => NAMES[field].includes(column))
  return guessed
}

/** Returns the columns that are renamed or skipped, in the service's format. */
export const toColumnMap = (columns: readonly string[], fields: readonly string[]): string | undefined => {
  const renamed = columns.flatMap((name, index) => (fields[index] === name ? [] : [[name, fields[index]!] as const]))
  return renamed.length === 0 ? undefined : JSON.stringify(Object.fromEntries(renamed))
}
