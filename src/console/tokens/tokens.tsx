import type { PersonalToken } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { TextField } from '../fields.tsx'
import { CopyField, textIn } from '../forms.tsx'
import { useMe, useOrganization } from '../organization.ts'
import { done, ListSection, type Question, Row, useChanges } from '../settings/section.tsx'
import { formatInstant } from '../times.ts'
import { usePolled } from '../use-read.ts'
import { list } from '../wording.ts'
import { settings as settingsWords, tokens as words } from '../words.ts'
import { GrantFields, grantIn, textOfScope } from './grant-fields.tsx'

/** The person's own tokens, which let programs act for them. */
export default function Tokens() {
  const { timeZone } = useOrganization()
  const { organizations } = useMe()
  const nameOf = (id: string): string => organizations.find((one) => one.id === id)?.name ?? id
  return (
    <ListSection
      title={words.title}
      hint={words.lead}
      changes={useChanges(['tokens'])}
      add={addition}
      addKind=""
      read={usePolled(['tokens'], (options) => call('listOwnTokens', {}, options))}
      lines={1}
      row={(token) => (
        <Row
          name={<bdi>{token.name}</bdi>}
          about={list(token.scopes.map(textOfScope))}
          of={token.name}
          actions={[{ text: settingsWords.revoke, ask: revocation(token) }]}
        >
          {token.organizationId !== undefined && (
            <span>{words.onlyIn({ organization: nameOf(token.organizationId) })}</span>
          )}
          <span class="quiet small-text">
            {settingsWords.until({ time: formatInstant(token.expiresAt, timeZone, 'date') })} ·{' '}
            {words.lastUsed({ time: token.lastUsedAt && formatInstant(token.lastUsedAt, timeZone, 'short') })}
          </span>
        </Row>
      )}
    />
  )
}

/** The dialog that creates a token. */
const addition: Question = {
  title: words.add,
  submit: words.make,
  fields: (
    <>
      <TextField label={settingsWords.name} hint={words.nameHint} name="name" required maxLength={200} autofocus />
      <GrantFields />
    </>
  ),
  run: async (form) => {
    const { token } = await call('createOwnToken', { body: { name: textIn(form, 'name'), ...grantIn(form) } })
    const children = <CopyField label={words.token} value={token} hint={settingsWords.secretHint} />
    return { secret: { title: words.ready, lead: words.readyLead, children } }
  },
}

const revocation = ({ id: tokenId, name }: PersonalToken): Question => ({
  title: settingsWords.revokeTitle({ name }),
  submit: settingsWords.revoke,
  isBad: true,
  text: words.revokeText,
  run: () => done(call('revokeOwnToken', { tokenId }), settingsWords.revoked),
})
