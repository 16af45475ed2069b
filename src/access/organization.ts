import Joi from 'joi'
import type { Organization } from '../interface/access.js'
import type { OrganizationRow } from './organizations.store.js'

/** An organization as it goes out: `{id, name, active, createdAt}`. */
export const organizationBody = Joi.object<Organization, true>({
  id: Joi.string().required(),
  name: Joi.string().required(),
  active: Joi.boolean().required(),
  createdAt: Joi.string().isoDate().required(),
})

export const toOrganizationBody = (row: OrganizationRow): Organization => ({
  id: row.organization_id,
  name: row.name,
  active: row.active,
  createdAt: row.created_at.toISOString(),
})
