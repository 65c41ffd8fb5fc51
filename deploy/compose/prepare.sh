#!/bin/sh
# Makes the files that compose.yaml mounts, once: a certificate authority, the servers' certificate,
# two callers with their tokens, the passwords of the database, the key of page tokens. It needs
# openssl.
#
#   sh deploy/compose/prepare.sh [FOLDER]      default: deploy/compose/made
#
# The containers run as users of their own, so everybody on this machine can read the files that
# they mount. This is for a trial.
set -eu
umask 022
made=${1:-$(dirname "$0")/made}
if [ -e "$made" ]; then
    echo "$made exists already: remove it to make new secrets (and the volume of the database with it)" >&2
    exit 1
fi
# A run that fails leaves nothing behind that looks complete.
part=$made.part
rm -rf "$part"
mkdir -p "$part/server" "$part/migration" "$part/database"

# The authority and the certificate, for ten years and one.
openssl ecparam -name prime256v1 -genkey -noout -out "$part/ca.key"
chmod 600 "$part/ca.key"
openssl req -x509 -new -key "$part/ca.key" -sha256 -days 3650 -subj "/CN=Riposte trial authority" -out "$part/ca.crt"
openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$part/server/tls.key"
chmod 644 "$part/server/tls.key"
cat > "$part/certificate.cnf" <<END
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, DNS:server-1, DNS:server-2, IP:127.0.0.1
END
openssl req -new -key "$part/server/tls.key" -subj "/CN=riposte" |
    openssl x509 -req -CA "$part/ca.crt" -CAkey "$part/ca.key" -CAcreateserial -sha256 -days 365 \
        -extfile "$part/certificate.cnf" -out "$part/server/tls.crt" 2>/dev/null
rm -f "$part/certificate.cnf" "$part/ca.srl"

# A caller for a back end, and one for people: the tokens here, their hashes for the servers.
caller() {
    token=riposte_$(openssl rand -hex 32)
    hash=$(printf %s "$token" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
    echo "$token" > "$part/$1.token"
    chmod 600 "$part/$1.token"
    printf '[%s]\ntokens_sha256 = ["%s"]\nroles = [%s]\nobject_types = ["*"]\n\n' "$1" "$hash" "$2" \
        >> "$part/server/callers.toml"
}
caller web '"reader", "writer"'
caller staff '"reader", "moderator", "operator"'

openssl rand -base64 32 > "$part/server/page-token-key"

# Two accounts: the servers', which cannot change tables, and the migration's.
password=$(openssl rand -hex 24)
owner=$(openssl rand -hex 24)
echo "mysql://riposte:$password@database:3306/riposte" > "$part/server/database"
echo "mysql://riposte_owner:$owner@database:3306/riposte" > "$part/migration/database"
cat > "$part/database/accounts.sql" <<END
CREATE DATABASE riposte;
CREATE USER riposte@'%' IDENTIFIED BY '$password';
GRANT SELECT, INSERT, UPDATE, DELETE ON riposte.* TO riposte@'%';
CREATE USER riposte_owner@'%' IDENTIFIED BY '$owner';
GRANT ALL PRIVILEGES ON riposte.* TO riposte_owner@'%';
END
mv "$part" "$made"
cat <<END
Made $made. When the containers run:
  export RIPOSTE_TARGET=https://localhost:7171 RIPOSTE_ADMIN_TARGET=https://localhost:7172
  export RIPOSTE_TLS_CA=$made/ca.crt RIPOSTE_TOKEN=\$(cat $made/web.token)
  riposte comment post article/1 ann "Hello"
END
