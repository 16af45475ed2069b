import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { oneOf } from '../http/params.js'
import { AUTOMATION_MODES } from '../interface/automation.js'
import type { Organization } from '../interface/generated/types.js'
import { LANGUAGES } from '../interface/languages.js'
import { isTimeZone } from '../lib/dates.js'
import type { OrganizationRow } from './organizations.store.js'

/** An IANA time zone that this version of Node knows. */
export const timeZoneSchema = Joi.string()
  .max(100)
  .custom((value: string, helpers) => (isTimeZone(value) ? value : helpers.error('timeZone.unknown')))
  .messages({ 'timeZone.unknown': '{{#label}} must be the IANA name of a time zone, such as Europe/Paris' })

export const languageSchema = Joi.string().valid(...LANGUAGES)

export const MAIL_LANGUAGE = 'The language of emails to people outside, and to members whose own language is unknown.'

/** The fields of an organization that all its members may see. */
export const organizationFields = {
  id: Joi.string().required(),
  name: Joi.string().required(),
  active: Joi.boolean().required(),
  fourEyes: Joi.boolean()
    .required()
    .description('If true, people cannot approve posts that they wrote or last changed.'),
  requireSecondFactor: Joi.boolean()
    .required()
    .description('If true, people need a session that has passed a second factor.'),
  automation: oneOf(AUTOMATION_MODES).required().description('The most that superpowers may do on any channel.'),
  reviewers: Joi.array()
    .items(Joi.string())
    .required()
    .description('Email addresses of people outside to whom writers may send review links; empty for none.'),
  timeZone: Joi.string().required().description('The IANA name of the time zone in which members see times.'),
  language: languageSchema.required().description(MAIL_LANGUAGE),
  currency: Joi.string()
    .required()
    .allow(null)
    .description('The ISO 4217 currency of lifetime values. While it is null, purchases are stored but not counted.'),
}

export const organizationBody = namedObject('Organization', {
  ...organizationFields,
  createdAt: Joi.string().isoDate().required(),
})

export const toOrganizationFields = (row: Omit<OrganizationRow, 'created_at'>): Omit<Organization, 'createdAt'> => ({
  id: row.organization_id,
  name: row.name,
  active: row.active,
  fourEyes: row.four_eyes,
  requireSecondFactor: row.require_second_factor,
  automation: row.automation,
  reviewers: row.reviewers,
  timeZone: row.time_zone,
  language: row.language,
  currency: row.currency,
})

export const toOrganizationBody = (row: OrganizationRow): Organization => ({
  ...toOrganizationFields(row),
  createdAt: row.created_at.toISOString(),
})
