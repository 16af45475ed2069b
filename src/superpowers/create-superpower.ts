import Joi from 'joi'
import type { NewSuperpower } from '../client/types.js'
import { created, operatorOperation } from '../http/operation.js'
import { newId } from '../lib/ids.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from '../scheduled-posts/saved-superpower.js'
import { superpowerSchema } from '../scheduled-posts/superpower-schema.js'
import { insertSuperpower } from '../scheduled-posts/superpowers.store.js'
import { requireOrganization } from './organizations.store.js'
import { nameSchema, organizationParams } from './params.js'

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
