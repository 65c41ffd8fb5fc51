package example.comments;

import dev.riposte.Options;
import dev.riposte.Riposte;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Makes the client of the properties {@code riposte.*}, which closes with the application. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RiposteConfiguration.RiposteProperties.class)
class RiposteConfiguration {
  /**
   * The service, and who calls it.
   *
   * @param target the address: {@code https://host:port} for TLS, {@code host:port} for plaintext
   * @param token the bearer token; none for {@code riposte dev}
   * @param tlsCa a PEM file with the authority to trust; those of Java by default
   */
  @ConfigurationProperties("riposte")
  record RiposteProperties(@DefaultValue("127.0.0.1:7171") String target, String token, Path tlsCa) {}

  @Bean
  @ConditionalOnMissingBean
  Riposte riposte(RiposteProperties properties) {
    Options options = new Options().target(properties.target()).token(properties.token());
    return Riposte.connect(properties.tlsCa() == null ? options : options.tlsCa(properties.tlsCa()));
  }
}
