import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import type { SourceDeletion } from '../../interface/generated/types.js'
import { deleteSourceRow, lockSource } from './sources.store.js'

/** Remove a source, with what waits of it and its problems. Purchases and links that came by it stay. */
export const deleteSource = operation({
  operationId: 'deleteSource',
  summary: 'Remove a source, with its waiting deliveries and problems; the purchases and links that came by it stay.',
  description:
    'For a shop or an app that is connected no longer. Its address answers 401 from then on, on every node within 5 seconds. Costs one transaction that deletes its deliveries.',
  route: 'DELETE /sources/{sourceId}',
  permission: 'sources:manage',
  answers: [200, 404],
  success: namedObject('SourceDeletion', { id: Joi.string().required() }),
  async handle({ params: { sourceId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'deleteSource', async (tx, record) => {
      const { type, name } = await lockSource(tx, organizationId, sourceId)
      await deleteSourceRow(tx, organizationId, sourceId)
      await record('source', sourceId, { type, name })
    })
    return ok({ id: sourceId } satisfies SourceDeletion)
  },
})
