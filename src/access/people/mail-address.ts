import Joi, { type CustomHelpers } from 'joi'
import { toNormalForm } from '../../interface/normal-form.js'

// One mailbox has one spelling here. Unicode has many that programs fold into one another (U+212A into k, İ into
// i̇), and an account must not open by a lookalike of its address.

/**
 * The form in which two addresses are compared: letters of ASCII in lower case, everything else as it is. In SQL:
 * lower(mail collate "C").
 */
export const foldMail = (mail: string): string => mail.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

export const isSameMail = (one: string, other: string): boolean => foldMail(one) === foldMail(other)

/**
 * A mail address to sign in with. 422 for one that Unicode's own folding would change, or that holds invisible
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
      '{{#label}} holds a character that has a plainer form: write it in lower case, without lookalikes and invisible characters',
  })
