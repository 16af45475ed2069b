import Joi from 'joi'
import { namedObject } from '../http/named.js'
import type { SavedSuperpower } from '../interface/generated/types.js'
import { superpowerSchema } from './superpower-schema.js'
import type { SuperpowerRow } from './superpowers.store.js'

export const savedSuperpowerBody = namedObject('SavedSuperpower', {
  creativeTemplateId: Joi.string()
    .required()
    .description('Names it in a post: `"superpower": {"creativeTemplateId"}`.'),
  name: Joi.string().required(),
  active: Joi.boolean().required(),
  superpower: superpowerSchema.required(),
})

export function toSavedSuperpowerBody(row: SuperpowerRow): SavedSuperpower {
  return {
    creativeTemplateId: row.creative_template_id,
    name: row.name,
    active: row.active,
    superpower: row.superpower,
  }
}
