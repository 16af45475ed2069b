import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ok, operatorOperation } from '../http/operation.js'
import { organizationParams } from '../http/params.js'
import { channelBody, toChannelBody } from './channel.js'
import { listChannelRows } from './channels.store.js'

/** List an organization's channels, by name. Idempotent. */
export const listOrganizationChannels = operatorOperation({
  operationId: 'listOrganizationChannels',
  summary: "List an organization's channels, by name.",
  method: 'GET',
  path: '/organizations/{organizationId}/channels',
  answers: [200, 401, 404, 422],
  params: organizationParams,
  success: Joi.array().items(channelBody),
  async handle({ params, meter }, { database }) {
    await requireOrganization(database, params.organizationId)
    const rows = await listChannelRows(database, params.organizationId)
    meter.rows = rows.length
    return ok(rows.map(toChannelBody))
  },
})
