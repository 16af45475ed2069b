import { readFileSync } from 'node:fs'
import { vipUserListBody } from './audience/vip-user.js'
import { makeOpenApi, type OpenApiDocument } from './http/openapi.js'
import { campaignEntryBody } from './insights/day-row.js'
import { currentOperations, earlierOperations, operatorOperations } from './operations.js'
import { scheduledPostBody, scheduledPostDocument } from './posts/scheduled-post.js'
import { superpowerSchemas } from './superpowers/superpower-schema.js'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

let document: OpenApiDocument | undefined

/** The OpenAPI document of everything the program can serve; committed as openapi.json. Made once: half of what an app costs to build. */
export function apiDocument(): OpenApiDocument {
  document ??= makeOpenApi(
    [
      {
        prefix: '/v1',
        tag: 'current',
        description: 'The interface in its current form, signed with an API key.',
        operations: currentOperations,
        security: ['apiKey', 'date', 'signature', 'version'],
      },
      {
        prefix: '/v0',
        tag: 'earlier',
        description: 'The earlier variant, served when EARLIER_VARIANT is on.',
        operations: earlierOperations,
        security: ['apiKey', 'earlierDate', 'signature'],
      },
      {
        prefix: '/operator',
        tag: 'operator',
        description: "The operator's side, served when OPERATOR_TOKEN is set.",
        operations: operatorOperations,
        security: ['operator'],
      },
    ],
    {
      VipUserList: vipUserListBody,
      CampaignEntry: campaignEntryBody,
      ScheduledPost: scheduledPostBody,
      ScheduledPostDocument: scheduledPostDocument,
      ...superpowerSchemas,
    },
    version,
  )
  return document
}
