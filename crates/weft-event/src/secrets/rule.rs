//! The built-in rules: their names and what they look for.

/// A built-in rule. Where two find the same text, the earlier gives it its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Private keys.
    PrivateKey,
    /// AWS access key ids.
    AwsKeyId,
    /// AWS secret access keys.
    AwsSecretKey,
    /// Keys and tokens of Google Cloud.
    GcpKey,
    /// Keys, client secrets and signatures of Azure.
    AzureKey,
    /// Tokens of GitHub.
    GithubToken,
    /// Tokens of GitLab.
    GitlabToken,
    /// Tokens of Slack.
    SlackToken,
    /// Addresses that post to Slack.
    SlackWebhook,
    /// Keys of Stripe.
    StripeKey,
    /// Keys of Anthropic.
    AnthropicKey,
    /// Keys of OpenAI and of those who took over its form.
    OpenaiKey,
    /// Tokens of npm.
    NpmToken,
    /// Tokens of PyPI.
    PypiToken,
    /// Weft's own tokens.
    WeftToken,
    /// Tokens of others that are known by how they begin.
    VendorToken,
    /// JSON Web Tokens.
    Jwt,
    /// Passwords in connection strings.
    ConnectionString,
    /// Passwords and tokens in addresses.
    UrlPassword,
    /// What a client shows to a server: a header, or a user and password of `curl`.
    Authorization,
    /// Values that are named a password.
    Password,
    /// Values that are named a secret, a token or a key.
    Secret,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; 22] = [
        Rule::PrivateKey,
        Rule::AwsKeyId,
        Rule::AwsSecretKey,
        Rule::GcpKey,
        Rule::AzureKey,
        Rule::GithubToken,
        Rule::GitlabToken,
        Rule::SlackToken,
        Rule::SlackWebhook,
        Rule::StripeKey,
        Rule::AnthropicKey,
        Rule::OpenaiKey,
        Rule::NpmToken,
        Rule::PypiToken,
        Rule::WeftToken,
        Rule::VendorToken,
        Rule::Jwt,
        Rule::ConnectionString,
        Rule::UrlPassword,
        Rule::Authorization,
        Rule::Password,
        Rule::Secret,
    ];

    /// Returns the name, as it stands in placeholders and settings: lower-case words with `-` between.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns what the rule looks for, in a sentence.
    pub fn description(self) -> &'static str {
        self.row().1
    }

    /// Returns the rule of this name.
    pub fn of_name(name: &str) -> Option<Rule> {
        Rule::ALL.into_iter().find(|rule| rule.name() == name)
    }

    fn row(self) -> (&'static str, &'static str) {
        match self {
            Rule::PrivateKey => {
                ("private-key", "A private key in PEM form, whole or cut, and keys of age")
            }
            Rule::AwsKeyId => ("aws-key-id", "An AWS access key id: AKIA, ASIA and their kin"),
            Rule::AwsSecretKey => {
                ("aws-secret-key", "An AWS secret access key, by its name or beside its id")
            }
            Rule::GcpKey => {
                ("gcp-key", "A Google API key, OAuth client secret, access or refresh token")
            }
            Rule::AzureKey => {
                ("azure-key", "An Azure account key, client secret, or signature of shared access")
            }
            Rule::GithubToken => ("github-token", "A GitHub token of any kind"),
            Rule::GitlabToken => ("gitlab-token", "A GitLab token of any kind"),
            Rule::SlackToken => ("slack-token", "A Slack token of any kind"),
            Rule::SlackWebhook => ("slack-webhook", "The path of an address that posts to Slack"),
            Rule::StripeKey => {
                ("stripe-key", "A Stripe secret or restricted key, or a webhook's signing secret")
            }
            Rule::AnthropicKey => ("anthropic-key", "An Anthropic API key or OAuth token"),
            Rule::OpenaiKey => {
                ("openai-key", "An OpenAI key, and others that begin with sk- and are as long")
            }
            Rule::NpmToken => ("npm-token", "An npm access token"),
            Rule::PypiToken => ("pypi-token", "A PyPI upload token"),
            Rule::WeftToken => ("weft-token", "A token of a Weft server"),
            Rule::VendorToken => {
                ("vendor-token", "A token that is known by how it begins: Hugging Face, Docker …")
            }
            Rule::Jwt => ("jwt", "A signed or encrypted JSON Web Token"),
            Rule::ConnectionString => {
                ("connection-string", "The password in a database's connection string")
            }
            Rule::UrlPassword => {
                ("url-password", "The password in an address, or a token in the user's place")
            }
            Rule::Authorization => (
                "authorization",
                "A Bearer or Basic header, or a user and password of curl, Docker or npm",
            ),
            Rule::Password => ("password", "A value that is named a password"),
            Rule::Secret => ("secret", "A value that is named a secret, a token or a key"),
        }
    }
}
