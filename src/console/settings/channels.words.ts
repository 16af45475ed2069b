export const words = {
  subscription: {
    PENDING: 'Messages and comments are being subscribed to',
    SUBSCRIBED: 'Messages and comments arrive',
  },
  refused: (problem: string): string => `Messages and comments do not arrive: ${problem}`,
}
