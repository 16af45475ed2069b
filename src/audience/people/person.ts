import Joi from 'joi'
import { named, namedObject } from '../../http/named.js'
import { conversationFields } from '../fields.js'

const amount = Joi.string().description('A decimal, such as `12.50`.')

const conversationBody = named(
  'PersonConversation',
  Joi.object({
    channelId: Joi.string().required(),
    opening: Joi.object({ amount: amount.required(), at: Joi.string().isoDate().required().allow(null) })
      .required()
      .allow(null)
      .description('The value at a point in time, to which later purchases are added; null until intake changes it.'),
    purchased: amount.required().description('The total of the purchases after the opening value that count.'),
    refunded: amount.required().description('The total of the refunds after the opening value, which are subtracted.'),
    ...conversationFields,
  }),
)

const purchaseState = named(
  'PurchaseState',
  Joi.string().valid(
    'counted',
    'other_currency',
    'no_currency',
    'test',
    'cancelled',
    'unpaid',
    'before_opening',
    'refunded',
  ),
)

const purchaseBody = namedObject('Purchase', {
  orderId: Joi.string().required(),
  sourceId: Joi.string().required(),
  amount: amount.required(),
  currency: Joi.string().required(),
  refunded: amount.required(),
  at: Joi.string().isoDate().required(),
  state: purchaseState.required().description('`refunded` means that the whole order was refunded.'),
})

const linkBody = namedObject('PersonLink', {
  kind: Joi.string().required(),
  id: Joi.string().required(),
  sourceId: Joi.string().required().allow(null),
  at: Joi.string().isoDate().required(),
})

const fieldBody = namedObject('ProfileField', {
  field: Joi.string().required(),
  value: Joi.string().required().allow(null, ''),
  at: Joi.string().isoDate().required(),
  sourceId: Joi.string().required().allow(null),
})

const personFields = {
  cuid: Joi.string().required(),
  currency: Joi.string()
    .required()
    .allow(null)
    .description('While this is null, purchases are stored but not counted.'),
  conversations: Joi.array().items(conversationBody).required().description('The first 1,000.'),
  conversationsTotal: Joi.number().integer().required(),
  purchases: Joi.array().items(purchaseBody).required().description('The latest 100.'),
  purchasesTotal: Joi.number().integer().required(),
  links: Joi.array().items(linkBody).required(),
  fields: Joi.array().items(fieldBody).required(),
}

/** A person in answers. */
export const personDetailsBody = namedObject('PersonDetails', personFields)

/** The response to a person who asks for their data. */
export const personDataBody = namedObject('PersonData', {
  ...personFields,
  cuid: Joi.string().required().allow(null).description('Null if the id belongs to no person here.'),
})
