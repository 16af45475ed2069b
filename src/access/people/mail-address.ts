import Joi, { type CustomHelpers } from 'joi'
import { toNormalForm } from '../../interface/normal-form.js'

// Each mailbox has exactly one spelling here. Unicode has many that programs fold into one another (U+212A into k, İ
// into i̇), and a lookalike of an address must not open its account.

/**
 * Returns the form in which addresses are compared: ASCII letters in lower case, everything else unchanged. In SQL:
 * lower(email collate "C").
 */
export const foldMail = (mail: string): string => mail.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

export const isSameMail = (one: string, other: string): boolean => foldMail(one) === foldMail(other)

/**
 * An email address for signing in. Rejects addresses that Unicode folding would change or that contain invisible
 * characters.
 */
export const mailSchema = Joi.string()
  .max(254)
  .email({ tlds: false, minDomainSegments: 1 })
  .custom((mail: string, helpers: CustomHelpers) =>
    /[\p{C}\p{Z}]/u.test(mail) || toNormalForm(mail, 'NFKC').toLowerCase() !== foldMail(mail)
      ? helpers.error('string.mailFolded')
      : mail,
  )
  .messages({
    'string.mailFolded':
      '{{#label}} contains a character that has a plainer form: write it in lower case, without lookalikes or invisible characters',
  })
