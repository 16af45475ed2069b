import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { unrepeated } from '../../http/params.js'

const PASSWORD_CHARS_MIN = 12
const PASSWORD_CHARS_MAX = 256

/** A password to check against the stored one. */
export const passwordSchema = unrepeated(Joi.string().max(PASSWORD_CHARS_MAX))

export const newPasswordSchema = unrepeated(Joi.string().min(PASSWORD_CHARS_MIN).max(PASSWORD_CHARS_MAX)).description(
  `At least ${PASSWORD_CHARS_MIN} characters, and not a common password.`,
)

/** The token of a link. */
export const tokenSchema = unrepeated(Joi.string().max(100))

/**
 * The most common passwords of 12 or more characters consist of these words, digits and signs: lists of leaked
 * passwords contain little else at this length.
 */
const COMMON_WORDS = new Set(
  `password passwords passwort motdepasse contrasena wachtwoord qwerty qwertyuiop qwertyuiopasdf qwertyuiopasdfgh
   qwertzuiop azertyuiop asdfghjkl asdfghjklqwerty qwertyasdfgh qwertyasdfghzxcvbn qazwsxedc qazwsxedcrfv zaqxswcde
   qaz wsx qweasdzxc qweqweqweqwe asdasdasdasd zxcvbnm qwertyuiopzxcvbnm admin administrator adminadmin root letmein letmeinnow
   welcome welcomeback iloveyou iloveyouso iloveyouforever iloveyoubaby sunshine princess monkey dragon football baseball
   superman batman master michael jennifer jordan charlie starwars pokemon trustno computer internet samsung google
   facebook linkedin secret changeme changemenow default guest test testtest testing temp temporary abc abcd abcde abcdef
   abcdefgh abcdefghijkl abcdefghijklmnop correcthorsebatterystaple thisismypassword mypassword passwordpassword
   newpassword greenroom summer winter spring autumn january february march april may june july august september october
   november december monday friday company office`.split(/\s+/),
)

const LOOKALIKES: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', '@': 'a', $: 's' }

/**
 * Throws password_weak for a password that an attacker tries first: a common word with digits and signs around it,
 * few different characters, a run along the keyboard or the alphabet, or the person's own name or address.
 */
export function checkNewPassword(password: string, person: { mail: string; name: string }): void {
  const text = password.normalize('NFKC').toLowerCase()
  const core = lettersAround(text)
  const plain = core.replaceAll(/[013@$]/g, (sign) => LOOKALIKES[sign]!)
  const letters = [text, plain].map((form) => form.replaceAll(/[^\p{L}]/gu, ''))
  const known = [person.mail, person.mail.split('@')[0]!, person.name].map((part) =>
    part.toLowerCase().replaceAll(/[^\p{L}]/gu, ''),
  )
  const isCommon = letters.some((form) => COMMON_WORDS.has(form) || (form !== '' && known.includes(form)))
  if (isCommon || new Set(text).size < 5 || isRun(text)) throw new ApiError('password_weak')
}

/** Returns the text from its first letter to its last one. */
function lettersAround(text: string): string {
  const points = [...text]
  const isLetter = (point: string): boolean => /\p{L}/u.test(point)
  return points.slice(Math.max(points.findIndex(isLetter), 0), points.findLastIndex(isLetter) + 1).join('')
}

/** Returns whether most characters follow the one before, up or down. */
function isRun(text: string): boolean {
  let steps = 0
  for (let i = 1; i < text.length; i++) {
    if (Math.abs(text.charCodeAt(i) - text.charCodeAt(i - 1)) <= 1) steps += 1
  }
  return steps >= (text.length - 1) * 0.7
}
