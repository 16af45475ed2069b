import { leave } from '../leave.ts'
import { hrefOf } from '../navigation.ts'
import { useMe, useOrganization } from '../organization.ts'
import { Button, Page } from '../ui.tsx'
import { factors as words } from '../words.ts'

/** Shown instead of the pages of an organization that requires a second factor, if the session does not have one. */
export function FactorRequired() {
  const { person } = useMe()
  const { id, name } = useOrganization()
  return (
    <Page title={words.requiredTitle}>
      <p>
        {person.hasSecondFactor ? words.requiredAgain({ organization: name }) : words.required({ organization: name })}
      </p>
      <div class="actions">
        {person.hasSecondFactor ? (
          <Button kind="primary" onClick={() => void leave()}>
            {words.signOut}
          </Button>
        ) : (
          <a class="button primary" href={hrefOf(id, 'settings', ['account'])}>
            {words.toFactors}
          </a>
        )}
      </div>
    </Page>
  )
}
