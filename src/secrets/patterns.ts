/**
 * Tokens that their issuer gave a shape of their own.
 *
 * A letter or digit before the prefix means that it is part of a longer word (`risk-based`) or digest, and not a token.
 *
 * There are no exceptions, AWS's documentation keys included: people test a guard with exactly those, and one that lets
 * them pass looks switched off. Whoever needs one in a thought can shorten it.
 */
import { byPattern, byPatterns, type SecretRule } from './rule.ts';

export const TOKEN_RULES: readonly SecretRule[] = [
  byPattern('aws_access_key_id', /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/),
  byPattern(
    'aws_secret_access_key',
    /secret_?access_?key["'\\]{0,3}\s{0,4}(?:[:=]|=>)\s{0,4}["'\\]{0,3}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/i,
  ),
  byPattern('github_pat', /(?<![A-Za-z0-9])(?:ghp_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})/),
  // Since 2026 installation tokens are `ghs_<app>_<JWT>`; GitHub asks scanners to accept dots and underscores.
  byPattern('github_token', /(?<![A-Za-z0-9])(?:gh[or]_[A-Za-z0-9]{36}|gh[su]_[A-Za-z0-9._-]{36})/),
  byPattern(
    'gitlab_token',
    /(?<![A-Za-z0-9])(?:gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|agent|oas|imt|ffct|wt)-[A-Za-z0-9_.-]{20}|GR1348941[A-Za-z0-9_-]{20})/,
  ),
  byPattern('anthropic_api_key', /(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{20}/),
  byPattern('openrouter_api_key', /(?<![A-Za-z0-9])sk-or-(?:v1-)?[A-Za-z0-9]{32}/),
  byPattern(
    'openai_api_key',
    /(?<![A-Za-z0-9])sk-(?:[A-Za-z0-9]{32}|(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{32}|[A-Za-z0-9_-]{16,100}T3BlbkFJ[A-Za-z0-9_-]{16})/,
  ),
  byPattern('huggingface_token', /(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{34}/),
  byPattern('groq_api_key', /(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{48}/),
  byPattern('xai_api_key', /(?<![A-Za-z0-9])xai-[A-Za-z0-9]{70}/),
  byPattern('replicate_token', /(?<![A-Za-z0-9])r8_[A-Za-z0-9]{37}/),
  byPattern('perplexity_api_key', /(?<![A-Za-z0-9])pplx-[A-Za-z0-9]{48}/),
  byPattern('google_api_key', /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/),
  byPattern(
    'google_oauth',
    /(?<![A-Za-z0-9])(?:GOCSPX-[A-Za-z0-9_-]{28}|ya29\.[A-Za-z0-9_-]{30}|1\/\/0[A-Za-z0-9_-]{40})/,
  ),
  byPattern('stripe_live_key', /(?<![A-Za-z0-9])[sr]k_live_[A-Za-z0-9]{24}/),
  byPattern('stripe_webhook_secret', /(?<![A-Za-z0-9])whsec_[A-Za-z0-9+/]{32}/),
  byPattern('slack_token', /(?<![A-Za-z0-9])(?:xox[abceoprs]-[A-Za-z0-9-]{10}|xapp-\d-[A-Za-z0-9-]{20})/),
  byPattern(
    'slack_webhook',
    /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[A-Z0-9]{6,16}\/[A-Za-z0-9]{6,24}\/[A-Za-z0-9]{16}/,
  ),
  byPattern('waymark_token', /(?<![A-Za-z0-9])wm_[a-z0-9]{12}_[A-Za-z0-9_-]{43}/),
  byPattern('npm_token', /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/),
  byPattern('npm_auth', /:_(?:authToken|auth|password)\s{0,4}=\s{0,4}["']?[A-Za-z0-9+/=_.-]{16}/),
  byPattern('pypi_token', /(?<![A-Za-z0-9])pypi-AgE[A-Za-z0-9_-]{50}/),
  byPattern('rubygems_key', /(?<![A-Za-z0-9])rubygems_[0-9a-f]{48}/),
  byPattern('crates_io_token', /(?<![A-Za-z0-9])cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/),
  // Two parts are enough: header and claims are both base64url of `{"`.
  byPattern('jwt', /(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{10,512}\.eyJ[A-Za-z0-9_-]{10}/),
  byPattern('azure_storage_key', /(?:AccountKey|SharedAccessKey|SharedSecret)=[A-Za-z0-9+/]{40}/i),
  byPatterns('azure_sas_signature', [
    /[?&;](?:amp;)?sig=[A-Za-z0-9%+/]{40}/,
    /[?&;](?:amp;)?(?:sv=\d{4}-|se=\d|sr=|skn=)/,
  ]),
  byPattern('azure_client_secret', /(?<![A-Za-z0-9])[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}/),
  byPattern('sendgrid_api_key', /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32}/),
  byPattern('twilio_api_key', /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/),
  byPattern(
    'mailgun_api_key',
    /(?<![A-Za-z0-9])(?:(?:pub)?key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})(?![A-Za-z0-9])/,
  ),
  byPattern('mailchimp_api_key', /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/),
  byPattern(
    'discord_token',
    /(?<![A-Za-z0-9])(?:mfa\.[A-Za-z0-9_-]{60}|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27})/,
  ),
  byPattern('discord_webhook', /discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{17,20}\/[A-Za-z0-9_-]{60}/),
  byPattern('telegram_bot_token', /(?<![A-Za-z0-9])(?:bot)?\d{8,10}:AA[A-Za-z0-9_-]{33}/),
  byPattern('notion_token', /(?<![A-Za-z0-9])(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40})/),
  byPattern('linear_api_key', /(?<![A-Za-z0-9])lin_(?:api|oauth|wh)_[A-Za-z0-9]{32}/),
  byPattern(
    'vercel_token',
    /(?<![A-Za-z0-9])(?:vc[apirk]_[A-Za-z0-9]{24}|vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{20})/,
  ),
  byPattern('terraform_token', /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60}/),
  byPattern('databricks_token', /(?<![A-Za-z0-9])(?:dapi|dose)[0-9a-f]{32}(?![A-Za-z0-9])/),
  byPattern('docker_token', /(?<![A-Za-z0-9])dckr_(?:pat|oat)_[A-Za-z0-9_-]{27}/),
  byPattern('digitalocean_token', /(?<![A-Za-z0-9])do[opr]_v1_[0-9a-f]{64}/),
  byPattern('shopify_token', /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss|ua|tka)_[A-Fa-f0-9]{32}/),
  byPattern('vault_token', /(?<![A-Za-z0-9])hv[sbr]\.[A-Za-z0-9_-]{24}/),
  byPattern(
    'atlassian_token',
    /(?<![A-Za-z0-9])AT(?:ATT|CTT|BB|SK)[A-Za-z0-9_=-]{24}[A-Za-z0-9_=-]{0,200}=[A-F0-9]{8}/,
  ),
  byPattern('figma_token', /(?<![A-Za-z0-9])fig[dou][rh]?_[A-Za-z0-9_-]{40}/),
  byPattern('grafana_token', /(?<![A-Za-z0-9])gl(?:sa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|c_[A-Za-z0-9+/]{32})/),
  byPattern('doppler_token', /(?<![A-Za-z0-9])dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40}/),
  byPattern('pulumi_token', /(?<![A-Za-z0-9])pul-[0-9a-f]{40}/),
  byPattern(
    'onepassword_key',
    /(?<![A-Za-z0-9])(?:ops_eyJ[A-Za-z0-9_-]{100}|A3-[A-Z0-9]{6}-[A-Z0-9]{5,6}-?[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})/,
  ),
  byPattern('supabase_key', /(?<![A-Za-z0-9])(?:sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{22})/),
  byPattern('sentry_token', /(?<![A-Za-z0-9])sntry(?:u_[0-9a-f]{64}|s_eyJ[A-Za-z0-9_=+/-]{40})/),
  byPattern('postman_api_key', /(?<![A-Za-z0-9])PMAK-[0-9a-f]{24}-[0-9a-f]{34}/),
  byPattern('planetscale_token', /(?<![A-Za-z0-9])pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32}/),
  byPattern('new_relic_key', /(?<![A-Za-z0-9])NRAK-[A-Z0-9]{27}/),
  byPattern('airtable_token', /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/),
  byPattern('netlify_token', /(?<![A-Za-z0-9])nf[pcobu]_[A-Za-z0-9]{36}/),
  byPattern('heroku_api_key', /(?<![A-Za-z0-9])HRKU-AA[A-Za-z0-9_-]{58}/),
];
