import Joi from 'joi'
import { ApiError } from '../errors.js'
import { named } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { currencySchema, nameSchema } from '../http/params.js'
import { textOfActor } from '../http/principal.js'
import { limit } from '../lib/limits.js'
import { recordAudit } from './audit.store.js'
import { automationSchema, requireAutomationManager } from './automation-switch.js'
import { languageSchema, MAIL_LANGUAGE, organizationBody, timeZoneSchema, toOrganizationBody } from './organization.js'
import { updateOrganizationRow } from './organizations.store.js'
import { isSameMail, mailSchema } from './people/mail-address.js'

/** Rename, activate or deactivate an organization. Every key of an inactive one is answered 402, from now on. */
export const updateOrganization = operation({
  operationId: 'updateOrganization',
  summary:
    'Rename, activate or deactivate an organization; ask for four eyes or a second factor; set its time zone, language and currency.',
  description:
    'Deactivate an organization to answer each of its keys with 402 at once, on every node; nothing of it is deleted; `active` takes the permission `operator`. With `requireSecondFactor` a person whose session has passed no second factor does not get in, from now on; keys go on. Idempotent. Costs one small transaction.',
  route: 'PATCH ',
  permission: 'settings:write',
  answers: [200, 400, 403, 404, 409],
  body: named(
    'OrganizationPatch',
    Joi.object({
      name: nameSchema,
      active: Joi.boolean().description('Whether its keys are accepted and its posts are published. Takes `operator`.'),
      fourEyes: Joi.boolean().description('Whether nobody may approve a post that they created or changed.'),
      requireSecondFactor: Joi.boolean().description(
        'Whether people get in only with a session that has passed a second factor.',
      ),
      automation: automationSchema.description(
        'What superpowers do at most, on every channel: `off`, `shadow` (a dry run) or `on`. Takes automation:manage.',
      ),
      reviewers: Joi.array()
        .items(mailSchema)
        // Joi compares before it has looked at each of them.
        .unique(
          (one: unknown, other: unknown) =>
            typeof one === 'string' && typeof other === 'string' && isSameMail(one, other),
        )
        .max(limit('reviewers'))
        .description(
          'In place of the present ones: people outside to whom writers may send review links. Links to an address that is gone are refused at once. An address that you add does not approve your own posts for an hour.',
        ),
      timeZone: timeZoneSchema.description('The IANA name of its time zone, such as `Europe/Paris`.'),
      language: languageSchema.description(MAIL_LANGUAGE),
      currency: currencySchema
        .allow(null)
        .description(
          'ISO 4217: lifetime values are in it, and purchases in it count. Values are computed again within a moment. `null` for none: then no purchase counts.',
        ),
    }).min(1),
  ),
  success: organizationBody,
  async handle({ body, principal }, { database, clock }) {
    const { organizationId, permissions } = principal
    if (body.active !== undefined && !permissions.has('operator')) {
      throw new ApiError('permission_missing', {
        message: 'To activate or deactivate an organization takes the permission operator, which you do not hold.',
      })
    }
    if (body.automation !== undefined) requireAutomationManager(principal)
    const at = new Date(clock.now())
    // An ADMIN without one would shut out everyone, and could not take it back.
    if (body.requireSecondFactor && principal.sessionId !== undefined && !principal.secondFactor) {
      throw new ApiError('second_factor_missing')
    }
    const row = await database.transaction(async (tx) => {
      const updated = await updateOrganizationRow(tx, organizationId, body, { by: textOfActor(principal.actor), at })
      await recordAudit(tx, {
        principal,
        at,
        operation: 'updateOrganization',
        target: { type: 'organization', id: organizationId },
        changes: { ...body },
      })
      return updated
    })
    return ok(toOrganizationBody(row))
  },
})
