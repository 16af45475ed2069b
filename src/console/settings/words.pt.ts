import type { AutomationMode } from '../../interface/automation.ts'
import type { InboxKind } from '../../interface/inbox.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, list } = common

const CHANNEL_HEALTH = {
  connected: 'Conectado',
  'not-connected': 'Não conectado: sem um token de acesso, nada é publicado lá',
  'needs-reconnect': 'A plataforma recusa o token, por isso nada é publicado lá',
}

const KEY_PERMISSIONS = {
  'channels:read': 'Ver canais',
  'audience:read': 'Ler o público',
  'audience:mark': 'Marcar VIPs',
  'audience:write': 'Importar e apagar pessoas',
  'insights:read': 'Ler resultados',
  'posts:read': 'Ler publicações',
  'posts:write': 'Escrever publicações',
  'superpowers:read': 'Ler superpoderes',
  'superpowers:write': 'Escrever superpoderes',
  'settings:read': 'Ler configurações',
  'settings:write': 'Mudar configurações',
  'audit:read': 'Ler a atividade',
  api: 'Chamar também /api, não só /v1',
}

export const words: typeof english = {
  title: 'Configurações',
  titleOf: (section) => `Configurações: ${section}`,
  sections: {
    organization: 'Organização',
    people: 'Pessoas',
    channels: 'Canais',
    'ad-accounts': 'Contas de anúncios',
    keys: 'Chaves',
    sources: 'Fontes',
    webhooks: 'Webhooks',
    account: 'Você',
    server: 'Servidor',
  },
  saved: 'Salvo.',
  name: 'Nome',
  add: 'Adicionar',
  kind: 'Tipo',
  rename: 'Renomear',
  renameTitle: (name) => `Renomear ${name}`,
  delete: 'Excluir',
  deleteTitle: (name) => `Excluir ${name}?`,
  nameToDelete: (name) => `Para excluir de vez, digite o nome: ${name}`,
  nameDiffers: 'O nome não é este.',
  deleted: (name) => `Excluído: ${name}.`,
  deletePerson: (mail) =>
    `O nome, o endereço ${mail} e todas as formas de entrar são excluídos de vez, em todas as organizações. O que a pessoa fez continua, como de uma conta excluída. O endereço pode ser convidado de novo.`,
  link: 'Link',
  until: (time) => `até ${time}`,
  since: (day) => `desde ${day}`,

  preferences: 'Idioma e fuso horário',
  preferred: (language, zone) => `${language} · ${zone}`,
  language: 'Idioma',
  languageHint: 'Você também recebe os e-mails nele.',
  browserLanguage: 'O idioma do navegador',
  ownTimeZone: 'Seu fuso horário',
  ownTimeZoneHint: 'Tudo o que você vê e digita está nele. Os outros ficam com o deles.',
  organizationZone: (zone) => `O fuso horário da organização (${zone})`,
  timeZone: 'Fuso horário',
  timeZoneHint: (zone, time) =>
    `Todos aqui leem e escrevem os horários neste fuso, onde quer que estejam. Agora são ${time} em ${zone}.`,
  mailLanguage: 'Idioma dos e-mails',
  mailLanguageHint: 'Para pessoas de fora e para membros cujo idioma não se conhece.',

  ownCurrency: 'Moeda',
  ownCurrencyHint:
    'Três letras, por exemplo BRL. Os valores vitalícios estão nela, e as compras nela contam. Vazio: as compras são guardadas e não contam.',

  members: 'Pessoas',
  noMemberTitle: 'Ainda não há ninguém nesta organização',
  noMember: 'Os proprietários do servidor a veem sem ser membros. Convide as pessoas que trabalham com ela.',
  you: 'você',
  inactive: 'não pode entrar',
  unproven: 'endereço não confirmado',
  confirmMail: 'Confirmar o endereço',
  confirmMailText: (mail) =>
    `Confirme só se você sabe que ${mail} pertence a esta pessoa: depois disso a conta pode aceitar convites de outras organizações.`,
  invite: 'Convidar uma pessoa',
  invited: 'Convidadas',
  mail: 'Endereço de e-mail',
  role: 'Papel',
  roleOf: (name) => `Papel de ${name}`,
  changeRole: 'Mudar o papel',
  roleText: 'Os novos direitos valem na hora, também onde a pessoa já entrou.',
  ownRole: 'Estes são os seus próprios direitos. Com menos deles, talvez você não possa desfazer isto.',
  roleMay: {
    VIEWER: 'lê',
    EDITOR: 'lê, escreve publicações e marca VIPs',
    ADMIN: 'faz tudo isso e muda configurações, pessoas e chaves',
  },
  roles: { VIEWER: 'Leitor', EDITOR: 'Editor', ADMIN: 'Administrador' },
  rolesHint:
    'Leitores leem. Editores também escrevem publicações e marcam VIPs. Administradores também mudam estas configurações. Aprovar publicações é um direito à parte.',
  approves: 'Aprova publicações',
  changedRights: (name) => `Os direitos de ${name} foram mudados. Eles valem na hora.`,
  endFourEyes: 'Desligar os quatro olhos?',
  endFourEyesText: 'A partir daí uma pessoa pode aprovar o que ela mesma escreveu.',
  endIt: 'Desligar',
  reviewers: 'Revisores externos',
  reviewersHint:
    'Endereços de e-mail, um por linha. Todos os que escrevem podem enviar por e-mail a estas pessoas links de avaliação de publicações, e não veem esses links. Deixe vazio para permitir isso só a quem aprova. Um endereço que você adiciona não aprova as suas próprias publicações durante uma hora.',
  saveReviewers: 'Salvar os revisores',
  fourEyes: 'Quatro olhos: ninguém aprova uma publicação que escreveu ou foi o último a mudar',
  remove: 'Remover',
  removeTitle: (name) => `Remover ${name}?`,
  removeText: 'A pessoa sai desta organização na hora. O que ela fez continua com o nome dela.',
  removeSelf: 'Esta pessoa é você: você perde na hora o acesso a esta organização.',
  makeLink: 'Criar um link',
  inviteReady: 'O convite está pronto',
  inviteLead: (mail, time) =>
    `Envie este link a ${mail}, a não ser que este servidor já o tenha enviado por e-mail. Ele funciona uma vez, até ${time}, e só é mostrado uma vez.`,
  takeBack: 'Revogar',
  takeBackTitle: (mail) => `Revogar o convite de ${mail}?`,
  takeBackText: 'O link dele não vai mais funcionar.',

  workspaces: 'Espaços de trabalho',
  workspacesHint: 'Em um espaço de trabalho VIP, as pessoas dos canais dele são listadas e marcadas como VIPs.',
  workspaceTypes: { VIP: 'Espaço de trabalho VIP', STANDARD: 'Espaço de trabalho padrão' },
  addWorkspace: 'Adicionar um espaço de trabalho',
  inWorkspaces: (channel) => `de ${channel}`,
  putIn: (channel, workspace, on) =>
    on ? `${channel} agora está em ${workspace}.` : `${channel} não está mais em ${workspace}.`,
  takeOut: 'Remover do espaço de trabalho',
  takeOutTitle: (channel, workspace) => `Remover ${channel} de ${workspace}?`,
  takeOutText:
    'As pessoas ficam, mas as marcas de VIP delas no espaço de trabalho são excluídas e não voltam se você adicionar o canal de novo.',
  deleteWorkspace: 'As marcas de VIP são excluídas com ele. Os canais e as pessoas deles ficam.',
  deleteChannel:
    'As pessoas dele, as marcas de VIP delas e o token são excluídos com ele. As publicações já publicadas ficam na plataforma, e aqui com o nome dele; os rascunhos precisam de outro canal.',
  postsFail:
    'Excluir mesmo assim: as publicações prestes a sair lá falham. Elas ainda são publicadas nos outros canais delas.',
  channelCount: (many) => count(many, 'canal', 'canais'),
  addChannel: 'Adicionar um canal',
  noChannelTitle: 'Ainda não há nenhum canal',
  noChannel:
    'Um canal é uma página do Facebook ou uma conta do Instagram em que você publica e cujas pessoas você lista.',
  health: CHANNEL_HEALTH,
  platformId: 'ID na plataforma',
  channelIdHint: 'O número da página ou da conta na plataforma.',
  token: 'Token de acesso',
  tokenOptional: 'Token de acesso, se você o tiver',
  tokenHint:
    'Use o token da página; para uma conta do Instagram, o da página dela ou o dela (IG…). O Greenroom pergunta à plataforma o que ele permite.',
  connect: 'Conectar',
  connectTitle: (name) => `Conectar ${name}`,
  replaceToken: 'Trocar o token',
  connectedNow: (isConnected, end) =>
    isConnected ? `Conectado.${end ? ` O token expira ${end}.` : ''}` : 'Salvo. Não está conectado.',
  disconnect: 'Desconectar',
  disconnectTitle: (name) => `Desconectar ${name}?`,
  disconnectChannel: 'O token é excluído. As publicações que devem sair lá falham até que ele seja conectado de novo.',

  noAccountTitle: 'Ainda não há nenhuma conta de anúncios',
  noAccount: 'Adicione a conta cujas campanhas você quer ver em Resultados.',
  addAccount: 'Adicionar uma conta de anúncios',
  accountIdHint: 'O número que a plataforma mostra, com ou sem act_.',
  currency: 'Moeda',
  currencyHint: 'Três letras, por exemplo BRL, como a plataforma mostra para a conta.',
  accountTokenHint: 'O Greenroom pergunta à plataforma se pode ler a conta.',
  isConnected: 'Conectada',
  lacksToken: 'Não conectada: não há resultados sem um token de acesso',
  edit: 'Editar',
  editTitle: (name) => `Editar ${name}`,
  deleteAccount: 'O token é excluído com ela. Os resultados ficam na plataforma.',
  disconnectAccount: 'O token é excluído. Ela não tem resultados até ser conectada de novo.',

  keysHint: 'Os programas chamam a API com uma chave. Uma chave não pode aprovar publicações: só pessoas podem.',
  newKey: 'Nova chave',
  noKeyTitle: 'Não há nenhuma chave',
  noKey: 'Emita uma para cada programa, para que cada uma possa ser revogada separadamente.',
  unnamed: 'Chave sem nome',
  keyName: 'Nome',
  keyNameHint: 'Por exemplo, o nome do programa que a usa.',
  keyMay: 'Permissões',
  keyMayNothing: 'Escolha pelo menos uma permissão.',
  permissions: KEY_PERMISSIONS,
  mayOf: (permissions) =>
    permissions.length === 0
      ? 'Todas as permissões'
      : `Permissões: ${list(
          permissions.map((one) => {
            const text = KEY_PERMISSIONS[one]
            return text.charAt(0).toLowerCase() + text.slice(1)
          }),
        )}`,
  addresses: 'Endereços permitidos',
  addressesHint: 'Endereços IP ou sub-redes, um por linha. Deixe vazio para permitir qualquer endereço.',
  onlyFrom: (addresses) => `Só de ${list(addresses)}`,
  expires: 'Expira',
  expiresHint: 'A chave é recusada a partir do começo deste dia. Sem uma data, ela não expira.',
  issue: 'Emitir',
  issued: (day, who) => `emitida ${day}${who === undefined ? '' : ` por ${who}`}`,
  lastUsed: (time) => (time === undefined ? 'nunca usada' : `usada pela última vez ${time}`),
  revokedAt: (time) => `Revogada ${time}`,
  expiredAt: (time) => `Expirou ${time}`,
  rotate: 'Trocar',
  rotateTitle: (name) => `Trocar ${name}?`,
  rotateText:
    'É emitida uma nova chave que pode o mesmo. A atual continua funcionando até você a revogar, para que nada pare nesse meio-tempo.',
  revoke: 'Revogar',
  revokeTitle: (name) => `Revogar ${name}?`,
  revokeText: (used) =>
    `A recusa vale na hora e para sempre. ${used === undefined ? 'Nunca houve uso.' : `O último uso foi ${used}.`}`,
  revoked: 'Revogada.',
  keyReady: 'A chave está pronta',
  keyLead: 'Guarde-a agora: ela só é mostrada uma vez.',
  keyRotated: 'Guarde-a agora: ela só é mostrada uma vez. Quando o seu programa a usar, revogue a chave anterior.',
  keyId: 'ID da chave',
  secret: 'Segredo',
  secretHint: 'Guarde-o com o mesmo cuidado que uma senha.',
  showOver: (many) => `Mostrar ${count(many, 'chave expirada ou revogada', 'chaves expiradas ou revogadas')}`,
  hideOver: 'Ocultar as chaves expiradas e revogadas',

  changePassword: 'Mudar a senha',
  sessions: 'Sessões',
  sessionsHint: 'Encerre as que você não reconhece e depois mude a sua senha.',
  signOutEverywhere: 'Sair de todos os dispositivos',
  thisOne: 'esta',
  browser: (userAgent) => {
    const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(userAgent)?.[0] ?? 'Um navegador'
    const system = /iPhone|iPad|Android|Windows|Mac OS|Linux/.exec(userAgent)?.[0]
    const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser
    return system === undefined ? name : `${name} em ${system}`
  },
  session: (began, seen) => `desde ${began} · vista pela última vez ${seen}`,
  seenFrom: (address) => `de ${address}`,
  endSession: 'Encerrar',
  sessionEnded: 'A sessão foi encerrada.',

  version: (version) => `Greenroom ${version}`,
  organizations: 'Organizações',
  addOrganization: 'Adicionar uma organização',
  stopped: 'Inativa: suas chaves são recusadas, e nenhuma publicação dela é publicada',
  stop: 'Desativar',
  stopTitle: (name) => `Desativar ${name}?`,
  stopText: 'As chaves e as pessoas dela são recusadas na hora, e as publicações esperam. Nada é excluído.',
  start: 'Ativar',
  owners: 'Proprietários',
  ownersHint: 'Um proprietário vê e faz tudo neste servidor.',
  inviteOwner: 'Convidar um proprietário',
  ownerLead: (time) =>
    `Envie este link à pessoa: ele a torna proprietária do servidor. Ele funciona uma vez, até ${time}.`,
  mails: 'E-mails',
  mailsAreOn:
    'Você recebe e-mails sobre esta organização: publicações que aguardam você, falhas se você é administrador, e novidades sobre as suas publicações.',
  mailsAbout: 'Suas publicações',
  mailKinds: {
    returned: 'Devolvidas',
    approved: 'Aprovadas',
    failed: 'Que falharam',
    published: 'Publicadas',
    mentioned: 'Alguém menciona você',
    replied: 'Novas mensagens',
  } satisfies Record<InboxKind, string>,
  mailsAreOff: 'Você não recebe e-mails sobre esta organização.',
  mailsOn: 'Ligar os e-mails',
  mailsOff: 'Desligar os e-mails',
  operatorTokens: 'Tokens de operador',
  operatorTokensHint: 'Programas e pessoas operam este servidor com eles pela linha de comando: eles podem tudo.',
  newToken: 'Novo token de operador',
  tokenNameHint: 'Letras minúsculas, dígitos e hifens. O registro de mudanças o mostra.',
  tokenReady: 'O token de operador está pronto',
  operatorToken: 'Token de operador',
  revokeToken: 'Ele é recusado na hora, para sempre.',

  change: 'Mudar',
  demandSubmit: 'Exigir',
  demandText: 'Todos os que não têm um ficam fora desta organização até configurarem um.',
  demand: 'Todos aqui precisam de um segundo fator',
  superpowers: 'Superpoderes',
  superpowersHint: 'Acima do que cada canal define: em lugar nenhum os superpoderes fazem mais do que isto.',
  superpowerModes: {
    off: 'Desligados: nada é feito em nenhum canal',
    shadow: 'No máximo simulação: nada é enviado',
    on: 'Como cada canal define',
  } satisfies Record<AutomationMode, string>,
  demandHint: 'Uma pessoa sem um não pode abrir esta organização até configurar um.',
  demandMissing: 'Configure primeiro o seu próprio segundo fator e entre com ele:',
  has: 'segundo fator',
  hasNot: 'sem segundo fator',
  reset: 'Redefinir o segundo fator',
  resetTitle: (name) => `Redefinir o segundo fator de ${name}?`,
  resetText:
    'As chaves de acesso, o app autenticador e os códigos de recuperação da pessoa são removidos, e as sessões dela terminam. Tenha certeza de que é ela quem pede: a partir daí ela pode entrar só com a senha.',
  resetDone: (name) => `O segundo fator de ${name} foi redefinido.`,
  makeSignInLink: 'Link de entrada',
  signInLinkTitle: (name) => `Criar um link de entrada para ${name}?`,
  signInLinkText:
    'Para uma pessoa que não consegue entrar. Um link anterior dela deixa de valer; o segundo fator continua sendo pedido.',
  signInLinkReady: 'O link de entrada está pronto',
  signInLinkLead: (name, time) =>
    `Entregue-o a ${name} e a mais ninguém. Ele funciona uma vez, até ${time}, e só é mostrado uma vez.`,
  makeOwner: 'Tornar proprietário',
  makeOwnerTitle: (name) => `Tornar ${name} proprietário do servidor?`,
  endOwner: 'Retirar a propriedade',
  endOwnerTitle: (name) => `Retirar a propriedade de ${name}?`,
  people: 'Pessoas com uma conta',
  owner: 'proprietário deste servidor',
  ends: 'Isto também encerra',
  endsCount: (invitations, reviewLinks, signInLinks) =>
    [
      invitations > 0 ? count(invitations, 'convite em aberto', 'convites em aberto') : '',
      reviewLinks > 0 ? count(reviewLinks, 'link de avaliação', 'links de avaliação') : '',
      signInLinks > 0 ? count(signInLinks, 'link de entrada', 'links de entrada') : '',
    ].filter(Boolean),
  endsToken: (name) => `token de operador ${name}`,
  endsNothing: 'A pessoa não tem link, convite nem token que ainda funcione.',
  keysOf: 'Chaves que a pessoa emitiu',
  keysOfHint:
    'Uma chave continua funcionando, a não ser que você a revogue aqui. Selecione as que a pessoa pode ter guardado.',
}
