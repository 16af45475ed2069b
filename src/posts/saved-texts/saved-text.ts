import Joi from 'joi'
import { namedObject } from '../../http/named.js'
import { nameSchema } from '../../http/params.js'
import type { SavedText } from '../../interface/generated/types.js'
import { SAVED_TEXT_KINDS } from '../../interface/saved-texts.js'
import { limit } from '../../lib/limits.js'
import type { SavedTextRow } from './saved-texts.store.js'

export const savedTextFields = {
  kind: Joi.string()
    .valid(...SAVED_TEXT_KINDS)
    .required(),
  name: nameSchema.trim().required().description('One of each kind has it, whatever its case.'),
  text: Joi.string().max(limit('savedTextChars')).pattern(/\S/, 'not blank').required(),
}

export const savedTextBody = namedObject('SavedText', { id: Joi.string().required(), ...savedTextFields })

export const toSavedTextBody = ({ saved_text_id: id, kind, name, text }: SavedTextRow): SavedText => ({
  id,
  kind,
  name,
  text,
})
