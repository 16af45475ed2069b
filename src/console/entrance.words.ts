export const words = {
  noOrganizationTitle: 'You are not in an organization yet',
  noOrganization: 'Ask an administrator to invite you to one.',
  signIn: {
    several: 'You have an account in each of these organizations. Which one do you want?',
    title: 'Sign in',
    mail: 'Email address',
    password: 'Password',
    submit: 'Sign in',
    byPasskey: 'Sign in with a passkey',
    again: 'You have been signed out',
    againText: 'Sign in again to continue where you were. What you typed is still here.',
    as: (mail: string): string => `Sign in as ${mail}`,
    linkLead: 'This link works once. It is used when you click the button.',
    byLink: 'Signing you in…',
    linkSpent: 'This link has been used or has expired. Ask for another one.',
    needsHttps:
      'Your browser keeps you signed in over https only. Open this page with an address that begins with https.',
  },
  forgot: {
    ask: 'Forgot your password?',
    lead: 'Enter the email address of your account. You receive a link with which you set a new password.',
    submit: 'Send the link',
    sent: (mail: string): string =>
      `If ${mail} is the confirmed address of an account here, a link is on its way. It works once, within 30 minutes. If nothing arrives, ask an administrator.`,
    back: 'Back to sign in',
  },
  provider: {
    signIn: (name: string): string => `Sign in with ${name}`,
    elsewhere: 'Sign in in the other window. This page then continues by itself.',
    invited: (organization: string): string => `You are invited to ${organization}.`,
    failed: 'You are not signed in',
  },
  invitation: {
    title: 'Welcome to Greenroom',
    lead: (kind: 'member' | 'owner', organization: string, hasAccount: boolean): string =>
      kind === 'owner'
        ? 'You are the first person here: create your account as the owner of this server.'
        : hasAccount
          ? `You are invited to ${organization}. Accept with the password of your account.`
          : `You are invited to ${organization}. Choose a name and a password to begin.`,
    personName: 'Your name',
    haveAccount: 'I already have an account here',
    haveNone: 'I do not have an account here yet',
    passwordHint: '12 characters or more. A few words in a row are easy to remember and hard to guess.',
    submit: 'Begin',
  },
  replaceTitle: 'You are already signed in',
  signedInAs: (name: string, mail: string): string => `You are signed in as ${name} (${mail}).`,
  linkAsks: (mail: string): string => `This link is for ${mail}. Sign in as that person instead?`,
  invitationAsks: (mail: string | undefined, organization: string): string =>
    mail === undefined
      ? 'This invitation creates an account for an owner of this server. Continue with it instead?'
      : `This invitation to ${organization} is for ${mail}. Continue as that person instead?`,
  stay: 'Stay signed in',
  replace: 'Continue with the link',
}
