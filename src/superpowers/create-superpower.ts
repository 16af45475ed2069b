import { changeAudited } from '../access/audited-change.js'
import { namedObject } from '../http/named.js'
import { created, operation } from '../http/operation.js'
import { nameSchema } from '../http/params.js'
import { newId } from '../lib/ids.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from './saved-superpower.js'
import { superpowerSchema } from './superpower-schema.js'
import { insertSuperpower } from './superpowers.store.js'

/** Save a superpower, so that posts can name it by its creativeTemplateId. It bears its own id and name from then on. */
export const createSuperpower = operation({
  operationId: 'createSuperpower',
  summary: 'Save a superpower for posts to name.',
  description:
    'For a superpower that several posts use: a post that names its creativeTemplateId gets a copy of it as it is then. Not idempotent: each call saves one. Costs one small transaction.',
  route: 'POST /superpowers',
  permission: 'superpowers:write',
  answers: [201, 400],
  body: namedObject('NewSuperpower', {
    name: nameSchema.required(),
    superpower: superpowerSchema.required().description('The whole superpower; its ids are made by the service.'),
  }),
  success: savedSuperpowerBody,
  async handle({ body: { name, superpower }, principal }, context) {
    const creativeTemplateId = newId('template')
    const row = {
      creative_template_id: creativeTemplateId,
      name,
      superpower: { ...superpower, creativeTemplateId, creativeTemplateName: name },
      active: true,
    }
    await changeAudited(context, principal, 'createSuperpower', async (tx, record) => {
      await insertSuperpower(tx, principal.organizationId, row)
      await record('superpower', creativeTemplateId, { name })
    })
    return created(toSavedSuperpowerBody(row))
  },
})
