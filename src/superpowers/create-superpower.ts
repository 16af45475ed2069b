import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { created, operatorOperation } from '../http/operation.js'
import { nameSchema, organizationParams } from '../http/params.js'
import type { NewSuperpower } from '../interface/superpowers.js'
import { newId } from '../lib/ids.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from './saved-superpower.js'
import { superpowerSchema } from './superpower-schema.js'
import { insertSuperpower } from './superpowers.store.js'

/** Save a superpower, so that posts can name it by its creativeTemplateId. It bears its own id and name from then on. */
export const createSuperpower = operatorOperation({
  operationId: 'createSuperpower',
  summary: 'Save a superpower for posts to name.',
  method: 'POST',
  path: '/organizations/{organizationId}/superpowers',
  answers: [201, 400, 401, 404, 422],
  params: organizationParams,
  body: Joi.object<NewSuperpower, true>({
    name: nameSchema.required(),
    superpower: superpowerSchema.required(),
  }),
  success: savedSuperpowerBody,
  async handle({ params: { organizationId }, body: { name, superpower } }, { clock, database }) {
    await requireOrganization(database, organizationId)
    const creativeTemplateId = newId('template')
    const row = {
      creative_template_id: creativeTemplateId,
      name,
      superpower: { ...superpower, creativeTemplateId, creativeTemplateName: name },
      active: true,
    }
    await insertSuperpower(database, organizationId, row, new Date(clock.now()))
    return created(toSavedSuperpowerBody(row))
  },
})
