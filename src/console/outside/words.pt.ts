import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common
const posts = (many: number): string => count(many, 'publicação', 'publicações')

const STATES = {
  open: 'Aguarda você',
  approved: 'Você a aprovou',
  returned: 'Você a devolveu',
  over: 'Não aguarda mais',
}

export const words: typeof english = {
  brand: 'Greenroom',
  title: 'Uma publicação para você aprovar · Greenroom',
  asks: (organization) => `${organization} pede a sua aprovação`,
  linkFor: (name, maker) => `Para ${name}, de ${maker}.`,
  open: (isToSeveral) => (isToSeveral ? 'Abrir as publicações' : 'Abrir a publicação'),
  lead: (name, maker) => `Para ${name}, de ${maker}. Esta é a publicação como será publicada.`,
  past: 'O horário desta publicação já passou, por isso ela não pode mais ser aprovada. Você ainda pode devolvê-la.',
  notYet: 'Ainda não',
  approveTitle: 'Aprovar esta publicação?',
  approveText: (time) => `Ela será publicada ${time}.`,
  until: (time, zone) => `Este link funciona até ${time} (${zone}), ou até que se decida sobre a publicação.`,
  thanks: (name) => `Obrigado, ${name}`,
  approved: (time, zone) => `A publicação está aprovada. Ela será publicada ${time} (${zone}).`,
  returned: 'A publicação foi devolvida ao autor com as suas notas.',
  done: 'Você pode fechar esta página. O link não funciona mais.',
  overTitle: 'Este link não funciona',
  over: 'O link foi revogado ou expirou, ou sua única publicação não aguarda mais. Se você esperava uma publicação, fale com quem enviou o link.',
  byLinkOf: (name, maker) => `${name} (por um link de ${maker})`,
  linksTitle: 'Aprovação externa',
  linksLead: 'Com um link, uma pessoa sem conta pode aprovar ou devolver esta publicação.',
  linkOf: (maker, until) => `de ${maker}, até ${until}`,
  make: 'Enviar para aprovação externa…',
  forWhom: 'Destinatário',
  forWhomHint: 'O histórico mostra este nome, por exemplo “Anna da agência”.',
  worksFor: 'O link funciona por',
  makeSubmit: 'Criar o link',
  madeTitle: (name) => `O link para ${name}`,
  link: 'Link',
  madeHint: 'Envie-o só a esta pessoa: quem o tiver pode decidir. Ele não será mostrado de novo.',
  revoke: 'Revogar',
  revokeOf: (name) => `Revogar o link de ${name}`,
  revoked: (name) => `O link de ${name} não funciona mais.`,
  leadSeveral: (name, maker, many) =>
    `Para ${name}, de ${maker}: ${posts(many)}, como ${many === 1 ? 'será publicada' : 'serão publicadas'}.`,
  untilSeveral: (time, zone) => `Este link funciona até ${time} (${zone}).`,
  place: (at, of) => `${number(at)} de ${number(of)}`,
  decidedOf: (decided, of) => `${number(decided)} de ${posts(of)} com decisão`,
  decidedNow: (at, isApproved) =>
    isApproved ? `A publicação ${at} está aprovada.` : `A publicação ${at} foi devolvida ao autor com as suas notas.`,
  states: {
    open: 'Esta publicação aguarda você.',
    approved: 'Você aprovou esta publicação.',
    returned: 'Você devolveu esta publicação.',
    over: 'Esta publicação não aguarda mais você: já se decidiu sobre ela ou ela foi mudada em outro lugar.',
  },
  stateOf: (at, state) => `${at}: ${STATES[state]}`,
  skip: 'Pular',
  overview: 'Todas as publicações',
  overviewTitle: 'Todas as publicações deste link',
  goOn: 'Continuar',
  show: 'Mostrar',
  beginning: (time, text) =>
    text === '' ? time : `${time} · ${[...text].slice(0, 80).join('')}${[...text].length > 80 ? '…' : ''}`,
  counts: (approved, returned, open) =>
    [
      `Você aprovou ${posts(approved)} e devolveu ${number(returned)}.`,
      open === 0 ? '' : `${count(open, 'publicação aguarda', 'publicações aguardam')} você.`,
    ]
      .filter(Boolean)
      .join(' '),
  doneSeveral: (time, zone) =>
    `Você pode fechar esta página. Até ${time} (${zone}) você pode abri-la de novo pelo link, para ver ou desfazer o que decidiu.`,
  sendSelected: 'Link de avaliação…',
  sendWeek: (many) => `Link de avaliação para esta semana (${number(many)})…`,
  sendTitle: (many) => `Link de avaliação para ${posts(many)}`,
  sendText:
    'Uma pessoa sem conta decide sobre estas publicações uma a uma, cada uma como estiver então. As publicações posteriores não entram.',
  sendBy: 'Como ele chega lá',
  sendByHint: 'Um link enviado por e-mail não é mostrado a ninguém aqui.',
  byHand: 'Eu copio o link e o envio',
  byMail: (mail) => `Por e-mail para ${mail}`,
  sent: (mail) => `O link está a caminho de ${mail}.`,
  allTitle: 'Links de avaliação',
  allLead: 'Links pelos quais pessoas sem conta decidem sobre publicações e que ainda funcionam.',
  backToWaiting: 'Publicações que aguardam',
  noLinks: 'Nenhum link de avaliação funciona agora',
  noLinksHint: 'Para criar um, selecione publicações em Aprovações ou abra uma semana do calendário.',
  nameAndMail: (name, mail) => `${name} (${mail})`,
  neverOpened: 'Ainda não foi aberto',
  opened: (time) => `Aberto pela última vez ${time}`,
  toPost: 'Abrir a publicação',
  isBack: 'Você devolveu esta publicação. Esta é a nova versão.',
  endedTitle: 'Encerrados nos últimos 30 dias',
  noneEnded: 'Nenhum link foi encerrado nos últimos 30 dias.',
  whys: {
    approved: 'A publicação foi aprovada por ele',
    returned: 'A publicação foi devolvida por ele',
    over: 'A publicação não aguarda mais aprovação',
    revoked: 'Revogado',
    expired: 'Expirado',
    maker: 'Quem o criou não pode mais enviar publicações para fora',
    reviewer: 'O endereço não é mais de um revisor',
  },
  endedBecause: (why, time) => `${why}, ${time}`,
}
