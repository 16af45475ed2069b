import { readFileSync } from 'node:fs'
import { SURFACES } from './access/surfaces.js'
import { vipUserListBody } from './audience/vip-user.js'
import type { ApiExamples } from './http/examples.js'
import { makeOpenApi, type OpenApiDocument } from './http/openapi.js'
import { campaignEntryBody } from './insights/day-row.js'
import { operations } from './operations.js'
import { postForPeopleBody, scheduledPostBody, scheduledPostDocument } from './posts/scheduled-post.js'
import { superpowerSchema } from './superpowers/superpower-schema.js'

const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))

let document: OpenApiDocument | undefined

/**
 * The OpenAPI document of everything the program can serve; committed as openapi.json. Made once: it is half of what an
 * app costs.
 */
export function apiDocument(): OpenApiDocument {
  document ??= makeOpenApi(
    SURFACES,
    operations,
    {
      VipUserList: vipUserListBody,
      CampaignEntry: campaignEntryBody,
      ScheduledPost: scheduledPostBody,
      PostForPeople: postForPeopleBody,
      ScheduledPostDocument: scheduledPostDocument,
      Superpower: superpowerSchema,
    },
    (readJson('package.json') as { version: string }).version,
    readJson('assets/api-examples.json') as ApiExamples,
  )
  return document
}
