import type { NewPersonalToken, TokenScope } from '../../interface/generated/types.ts'
import { TOKEN_SCOPE_NAMES } from '../../interface/token-scopes.ts'
import { now } from '../clock.ts'
import { CheckField, SelectField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { useMe } from '../organization.ts'
import { settings as settingsWords, tokens as words } from '../words.ts'

const DAY_MS = 86_400_000
/** A year is shortened by an hour, in case the clocks of browser and server differ. */
const LIFETIMES = { week: 7 * DAY_MS, month: 30 * DAY_MS, quarter: 90 * DAY_MS, year: 365 * DAY_MS - 3_600_000 }
type Lifetime = keyof typeof LIFETIMES
/** The service's own default. */
const USUAL: Lifetime = 'quarter'
const EVERYWHERE = ''

export const textOfScope = (scope: TokenScope): string => {
  const { permissions } = settingsWords
  return scope in permissions
    ? permissions[scope as keyof typeof permissions]
    : words.scopes[scope as keyof typeof words.scopes]
}

/** Returns the scopes that the person has in any place. */
function useOwnScopes(): TokenScope[] {
  const held = useMe().organizations.flatMap(({ permissions, channels = [] }) => [
    ...permissions,
    ...channels.flatMap((channel) => channel.permissions),
  ])
  return TOKEN_SCOPE_NAMES.filter((scope) => held.includes(scope))
}

/** A program's rights: what it may do, where, and until when. `asked` are checked initially. */
export function GrantFields({ asked = [] }: { asked?: readonly TokenScope[] | undefined }) {
  const { organizations } = useMe()
  const scopes = useOwnScopes()
  if (scopes.length === 0) return <p>{words.noRights}</p>
  return (
    <>
      <fieldset class="form">
        <legend class="label">{words.may}</legend>
        <div class="permissions">
          {scopes.map((scope) => (
            <CheckField key={scope} name="scope" value={scope} defaultChecked={asked.includes(scope)}>
              {textOfScope(scope)}
            </CheckField>
          ))}
        </div>
      </fieldset>
      {organizations.length > 1 && (
        <SelectField
          label={words.where}
          name="organization"
          values={[EVERYWHERE, ...organizations.map(({ id }) => id)]}
          textOf={(id) => organizations.find((one) => one.id === id)?.name ?? words.everywhere}
        />
      )}
      <SelectField
        label={words.until}
        name="lifetime"
        values={Object.keys(LIFETIMES) as Lifetime[]}
        textOf={(one) => words.lifetimes[one]}
        selected={USUAL}
      />
    </>
  )
}

/** Reads a form with GrantFields. Throws if no scope is checked. */
export function grantIn(form: FormData): Omit<NewPersonalToken, 'name'> {
  const scopes = form.getAll('scope').map(String) as TokenScope[]
  if (scopes.length === 0) throw new Error(words.nothing)
  const organizationId = textIn(form, 'organization')
  const lifetime = textIn(form, 'lifetime') as Lifetime
  return {
    scopes,
    ...(organizationId !== EVERYWHERE && { organizationId }),
    ...(lifetime !== USUAL && { expiresAt: new Date(now() + LIFETIMES[lifetime]).toISOString() }),
  }
}
