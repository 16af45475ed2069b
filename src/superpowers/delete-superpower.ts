import Joi from 'joi'
import { changeAudited } from '../access/audited-change.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { deleteSuperpowerRow, lockSuperpower } from './superpowers.store.js'

/** Delete a saved superpower for good. Posts that hold a copy keep it. */
export const deleteSuperpower = operation({
  operationId: 'deleteSuperpower',
  summary: 'Delete a saved superpower for good.',
  description:
    'For one that is not wanted even in the list; to keep posts from naming it, deactivate it. Posts that hold a copy keep it. Costs one small transaction.',
  route: 'DELETE /superpowers/{creativeTemplateId}',
  permission: 'superpowers:write',
  answers: [200, 404],
  success: namedObject('DeletedSuperpower', { creativeTemplateId: Joi.string().required() }),
  async handle({ params: { creativeTemplateId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'deleteSuperpower', async (tx, record) => {
      const { name } = await lockSuperpower(tx, organizationId, creativeTemplateId)
      await deleteSuperpowerRow(tx, organizationId, creativeTemplateId)
      await record('superpower', creativeTemplateId, { name })
    })
    return ok({ creativeTemplateId })
  },
})
