import Joi from 'joi'
import { ok, operation } from '../../http/operation.js'
import { savedTextBody, toSavedTextBody } from './saved-text.js'
import { listSavedTextRows } from './saved-texts.store.js'

/** The texts and groups of hashtags that the organization keeps, by name. There are few: one page has all. Idempotent. */
export const listSavedTexts = operation({
  operationId: 'listSavedTexts',
  summary: 'List the saved texts and groups of hashtags, by name.',
  description: 'For writing a post: its text takes what is chosen here. Costs one read.',
  route: 'GET /saved-texts',
  permission: 'posts:read',
  answers: [200],
  success: Joi.array().items(savedTextBody),
  async handle({ principal: { organizationId }, meter }, { database }) {
    const rows = await listSavedTextRows(database, organizationId)
    meter.rows = rows.length
    return ok(rows.map(toSavedTextBody))
  },
})
