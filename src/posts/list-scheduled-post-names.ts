import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { textOfForm } from '../http/params.js'
import { listPostNames } from './post-list.store.js'

const IDS_MAX = 200
const ID_CHARS_MAX = 64

/** The beginning of the text of posts, by which people know them. Idempotent. */
export const listScheduledPostNames = operation({
  operationId: 'listScheduledPostNames',
  summary: 'List the beginning of the text of posts, by their ids.',
  description:
    'For a page that names many posts, such as the change log: one call in place of one for each. Posts that are gone are left out. Costs one read.',
  route: 'GET /scheduled-post-names',
  permission: 'posts:read',
  isInternal: true,
  answers: [200],
  query: Joi.object({
    ids: textOfForm(
      new RegExp(`^[\\w-]{1,${ID_CHARS_MAX}}(,[\\w-]{1,${ID_CHARS_MAX}}){0,${IDS_MAX - 1}}$`),
      `ids with commas between them, at most ${IDS_MAX}`,
    )
      .required()
      .description(`Ids of posts with commas between them, ${IDS_MAX} at most.`),
  }),
  success: Joi.array().items(
    namedObject('ScheduledPostName', {
      id: Joi.string().required(),
      text: Joi.string().allow('').required().description('The beginning of the first text that it has.'),
    }),
  ),
  async handle({ query: { ids }, principal: { organizationId }, meter }, { database }) {
    const names = await listPostNames(database, organizationId, [...new Set(ids.split(','))])
    meter.rows = names.length
    return ok(names)
  },
})
